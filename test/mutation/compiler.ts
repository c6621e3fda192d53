import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import ts from 'typescript'
import { mutated, type Mutant } from './mutants.ts'

/**
 * Checks types as `npm test` does before it runs anything: what the compiler refuses needs no test. Names that are no longer used do
 * not count, since a test should notice what used them.
 */
export class Compiler {
  readonly #repository: string
  readonly #service: ts.LanguageService
  readonly #changed = new Map<string, { text: string; version: number }>()

  constructor(repository: string) {
    this.#repository = repository
    const path = join(repository, 'tsconfig.json')
    const { config } = ts.readConfigFile(path, (name) => ts.sys.readFile(name)) as { config: unknown }
    const { options, fileNames } = ts.parseJsonConfigFileContent(config, ts.sys, repository)
    this.#service = ts.createLanguageService({
      getCompilationSettings: () => ({ ...options, noUnusedLocals: false, noUnusedParameters: false }),
      getScriptFileNames: () => fileNames.filter((name) => name.includes('/src-main/')),
      getScriptVersion: (name) => String(this.#changed.get(name)?.version ?? 0),
      getScriptSnapshot: (name) => {
        const text = this.#changed.get(name)?.text ?? ts.sys.readFile(name)
        return text === undefined ? undefined : ts.ScriptSnapshot.fromString(text)
      },
      getCurrentDirectory: () => repository,
      getDefaultLibFileName: (settings) => ts.getDefaultLibFilePath(settings),
      fileExists: (name) => ts.sys.fileExists(name),
      readFile: (name) => ts.sys.readFile(name),
      readDirectory: (name, ...rest) => ts.sys.readDirectory(name, ...rest),
      directoryExists: (name) => ts.sys.directoryExists(name),
      getDirectories: (name) => ts.sys.getDirectories(name)
    })
  }

  /** Whether a change makes its file one that does not compile. */
  refuses(mutant: Mutant): boolean {
    const path = join(this.#repository, mutant.file)
    const original = readFileSync(path, 'utf8')
    this.#put(path, mutated(original, mutant))
    const faults = this.#service.getSemanticDiagnostics(path)
    this.#put(path, original)
    return faults.length > 0
  }

  #put(path: string, text: string): void {
    this.#changed.set(path, { text, version: (this.#changed.get(path)?.version ?? 0) + 1 })
  }
}
