/** Whether a text is the same again after it was a whole number: not 01067, not +49, not an id of 20 digits. */
export function survivesAsNumber(text: string): boolean {
  return /^(?:0|-?[1-9]\d{0,14})$/.test(text)
}

/** Why a text would be another one as a number, as the rest of a sentence; null where it would not, or is none. */
export function numberLoss(text: string): string | null {
  if (/^[+-]?0\d+$/.test(text)) return `would lose its leading zero as a number: "${text}"`
  if (/^\+\d+$/.test(text)) return `would lose its plus sign as a number: "${text}"`
  return null
}
