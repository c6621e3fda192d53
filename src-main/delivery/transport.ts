/** A message that is ready to go out. */
export interface OutgoingMessage {
  envelope: { from: string; to: string }
  /** RFC 5322, with CRLF. */
  content: Buffer
}

/**
 * Takes messages over for delivery. A position says how much it took over so far; the writer keeps it together with what
 * was counted. What came after that position, when the application was interrupted, is taken back, so that a message
 * goes out once.
 */
export interface Transport {
  /** @returns the position after the messages, which are kept whatever happens */
  send(messages: readonly OutgoingMessage[]): number
  takeBack(position: number): void
  close(): void
}
