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
  readonly #sources: string[]
  readonly #changed = new Map<string, { text: string; version: number }>()

  constructor(repository: string) {
    this.#repository = repository
    const path = join(repository, 'tsconfig.json')
    const { config } = ts.readConfigFile(path, (name) => ts.sys.readFile(name)) as { config: unknown }
    const { options, fileNames } = ts.parseJsonConfigFileContent(config, ts.sys, repository)
    this.#sources = fileNames.filter((name) => name.includes('/src-main/'))
    this.#service = ts.createLanguageService({
      getCompilationSettings: () => ({ ...options, noUnusedLocals: false, noUnusedParameters: false }),
      getScriptFileNames: () => this.#sources,
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

  /** True if a mutant does not compile, by itself or where its exports are used. */
  refuses(mutant: Mutant): boolean {
    const path = join(this.#repository, mutant.file)
    const original = readFileSync(path, 'utf8')
    const declared = this.#declarationsOf(path)
    this.#put(path, mutated(original, mutant))
    const isRefused =
      this.#hasFaults(path) ||
      (this.#declarationsOf(path) !== declared && this.#sources.some((name) => this.#hasFaults(name)))
    this.#put(path, original)
    return isRefused
  }

  #hasFaults(path: string): boolean {
    return this.#service.getSemanticDiagnostics(path).length > 0
  }

  /** The types of what a file exports: where they stay as they are, other files compile as before. */
  #declarationsOf(path: string): string {
    return this.#service
      .getEmitOutput(path, true, true)
      .outputFiles.map(({ text }) => text)
      .join('')
  }

  #put(path: string, text: string): void {
    this.#changed.set(path, { text, version: (this.#changed.get(path)?.version ?? 0) + 1 })
  }
}
