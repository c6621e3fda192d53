export function splitWords(text: string): string[] {
  return text.split(',').map((word) => word.trim())
}
