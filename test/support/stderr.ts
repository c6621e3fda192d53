import { onTestFinished, vi } from 'vitest'

/** What the application prints as faults from now on, until the test ends, instead of printing it. */
export function printedFaults(): string[] {
  const printed: string[] = []
  const spy = vi.spyOn(process.stderr, 'write').mockImplementation((text) => printed.push(String(text)) > 0)
  onTestFinished(() => spy.mockRestore())
  return printed
}
