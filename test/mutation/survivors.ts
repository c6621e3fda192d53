/** Mutants that no test can or should notice, and why. */
export const accepted: { file: string; original: string; replacement: string; reason: string }[] = []
