import { onTestFinished, vi } from 'vitest'

/** Records the faults that the application prints, instead of printing them, until the test ends. */
export function printedFaults(): string[] {
  const printed: string[] = []
  const spy = vi.spyOn(process.stderr, 'write').mockImplementation((text) => printed.push(String(text)) > 0)
  onTestFinished(() => spy.mockRestore())
  return printed
}
