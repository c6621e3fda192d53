import { type Refusal } from '../base/refusal.ts'
import { AskedThread } from '../base/asked-thread.ts'
import { startThread } from '../base/threads.ts'
import { ImportFailure } from '../csv/failure.ts'
import type { AnalysisInput } from './analysis/analyze.ts'
import type { FileAnalysis } from './analysis/schema.ts'

declare module '../http/context.ts' {
  interface ApplicationContext {
    fileAnalyzer: FileAnalyzer
  }
}

/** The analysis, or why the file cannot be imported. */
export type AnalysisAnswer = { analysis: FileAnalysis } | { refusal: Refusal }

/** Analyzes contact files in a thread, since large ones take a second or two. */
export class FileAnalyzer {
  readonly #thread = new AskedThread<AnalysisInput, AnalysisAnswer>(() =>
    startThread(import.meta.url, 'analysis-thread', { data: null, name: 'file analysis' })
  )

  /** @throws ImportFailure as analyzeFile */
  async analyze(input: AnalysisInput): Promise<FileAnalysis> {
    const answer = await this.#thread.ask(input)
    if ('refusal' in answer) throw new ImportFailure(answer.refusal)
    return answer.analysis
  }

  close(): Promise<void> {
    return this.#thread.close()
  }
}
