/** The files that hold messages as they were received. */
export const messageFileTypes = '.eml,.mbox,message/rfc822,application/mbox'

export function isMessageFile(name: string): boolean {
  return /\.(?:eml|mbox)$/i.test(name)
}

/**
 * Returns the messages of a file: one, or all of an mbox (RFC 4155).
 * @param file in Latin-1, which keeps each byte as it is
 */
export function messagesIn(file: string): string[] {
  if (!/^From \S/.test(file)) return [file]
  return file
    .split(/(?:^|\r?\n)From \S[^\n]*\n/)
    .slice(1)
    .map((message) => message.replaceAll(/^>(>*From )/gm, '$1'))
}
