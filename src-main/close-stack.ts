/** Closes what was opened, the last first. */
export class CloseStack {
  readonly #steps: (() => unknown)[] = []

  /** Adds steps; of several the last one runs first. */
  push(...steps: (() => unknown)[]): void {
    this.#steps.push(...steps)
  }

  async close(): Promise<void> {
    for (let step = this.#steps.pop(); step; step = this.#steps.pop()) await step()
  }
}
