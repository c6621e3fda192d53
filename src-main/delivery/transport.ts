/** A message that is ready to go out. */
export interface OutgoingMessage {
  envelope: { from: string; to: string }
  /** RFC 5322, with CRLF. */
  content: Buffer
}

/**
 * Accepts messages for delivery. A position tells how much it accepted; the writer stores it with the
 * counters. After an interruption everything behind that position is removed, so that each message is sent
 * once.
 */
export interface Transport {
  send(messages: readonly OutgoingMessage[]): number
  takeBack(position: number): void
  close(): void
}
