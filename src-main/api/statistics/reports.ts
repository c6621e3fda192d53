import { csvWriter } from '../../csv/csv-writer.ts'
import { formatTime } from '../../base/times.ts'
import { periodAround } from './periods.ts'
import type { messagesSent } from './queries.ts'
import type { MessagesSent } from './schema.ts'

export type ReportUnit = 'daily' | 'monthly'

/** Counts messages per day or month (docs/api.md, "Statistics"). */
export function messagesSentReport(
  hours: Awaited<ReturnType<typeof messagesSent>>,
  unit: ReportUnit,
  timeZone: string
): MessagesSent[] {
  const report = new Map<string, MessagesSent>()
  for (const { hour, messages_sent, ...sender } of hours) {
    const { from, before } = periodAround(hour, unit, timeZone)
    const key = `${from} ${sender.campaign_id} ${sender.autoresponder_id}`
    const entry = report.get(key) ?? {
      time_period_start: formatTime(from, timeZone),
      // The last second of the period, as the API gives it.
      time_period_end: formatTime(before - 1000, timeZone),
      ...sender,
      messages_sent: 0
    }
    entry.messages_sent += messages_sent
    report.set(key, entry)
  }
  return [...report.values()]
}

const columns = [
  'Time Period Start',
  'Time Period End',
  'Organization ID',
  'Organization Name',
  'Campaign ID',
  'Campaign Name',
  'Autoresponder ID',
  'Autoresponder Name',
  'Messages Sent'
]

/** The report as CSV (docs/api.md, "Statistics"). */
export function reportAsCsv(report: MessagesSent[], organization: { id: number; name: string }): string {
  const lines = report.map((entry) =>
    [
      entry.time_period_start,
      entry.time_period_end,
      organization.id,
      organization.name,
      entry.campaign_id,
      entry.campaign_name,
      entry.autoresponder_id,
      entry.autoresponder_name,
      entry.messages_sent
    ].map((cell) => String(cell ?? ''))
  )
  return csvWriter({ csv_field_separator: ',', csv_field_enclosure: '"' })([columns, ...lines])
}
