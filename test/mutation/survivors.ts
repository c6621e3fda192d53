/** Mutants that no test can or should notice, and why. */
export const accepted: { file: string; original: string; replacement: string; reason: string }[] = [
  {
    file: 'src-main/api/statistics/counting.ts',
    original: 'linkId ?? 0',
    replacement: 'linkId',
    reason: 'the condition before it leaves undefined out; the 0 is for the compiler'
  },
  {
    file: 'src-main/api/statistics/queries.ts',
    original: "bounce_code ?? ''",
    replacement: 'bounce_code',
    reason: 'the query leaves null out; the empty string is for the compiler'
  },
  {
    file: 'src-main/imports/packed-rows.ts',
    original: 'this.#blockOfRow[row] ?? 0',
    replacement: 'this.#blockOfRow[row]',
    reason: 'a row that is there has a block; the 0 is for the compiler'
  },
  {
    file: 'src-main/segments/segment-reader.ts',
    original: 'false',
    replacement: 'true',
    reason: 'each question is counted again, which gives the same answer and takes longer'
  }
]
