/** The words of a text, which are separated by commas. */
export function list(text: string): string[] {
  return text.split(',').map((word) => word.trim())
}
