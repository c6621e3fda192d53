import { type Static, Type } from 'typebox'
import { englishOf, type Refusal } from '../../base/refusal.ts'
import { WindowFault } from '../../http/schema.ts'

const checks = ['sender', 'spf', 'dkim', 'dmarc', 'alignment', 'bounces'] as const
/** `unknown` = the DNS gave no answer. */
const verdicts = ['pass', 'warning', 'fault', 'unknown'] as const

/** What a check found, and what to do about it. */
export interface Finding {
  check: (typeof checks)[number]
  verdict: (typeof verdicts)[number]
  reason: Refusal
}

export const PreflightFinding = Type.Object({
  check: Type.Enum([...checks]),
  verdict: Type.Enum([...verdicts]),
  /** What was found, and what to do about it. */
  message: Type.String(),
  fault: WindowFault
})
export type PreflightFinding = Static<typeof PreflightFinding>

export function presentFinding({ check, verdict, reason }: Finding): PreflightFinding {
  return { check, verdict, message: englishOf(reason), fault: reason }
}
