import { answerQuestions } from '../base/asked-thread.ts'
import { ImportFailure } from '../csv/failure.ts'
import { analyzeFile, type AnalysisInput } from './analysis/analyze.ts'
import type { AnalysisAnswer } from './file-analyzer.ts'

// Analyzes contact files in the order of the questions.

answerQuestions<AnalysisInput, AnalysisAnswer>(async (input) => {
  try {
    return { analysis: await analyzeFile(input) }
  } catch (error) {
    if (error instanceof ImportFailure) return { refusal: error.refusal }
    throw error
  }
})
