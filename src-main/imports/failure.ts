/** Why an import cannot go on: a sentence for its owner that names the line where there is one. */
export class ImportFailure extends Error {
  constructor(message: string, line?: number) {
    super(line === undefined ? message : `Line ${line}: ${message}`)
    this.name = 'ImportFailure'
  }
}
