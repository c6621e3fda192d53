import { messageOf, storageFaultOf } from './base/errors.ts'
import type { OpenData } from './app-data.ts'
import type { Served } from './app-server.ts'
import type { CloseStack } from './close-stack.ts'
import type { ApplicationOptions } from './app.ts'
import { autoresponderJobs } from './delivery/autoresponders/jobs.ts'
import { confirmationJobs } from './delivery/confirmations/jobs.ts'
import { gateJobs } from './tracking/gates/gate-jobs.ts'
import { mailboxJobs } from './receiving/mailboxes/mailbox-jobs.ts'
import { deliveryJobs } from './delivery/delivery-jobs.ts'
import { resolveAllInterrupted } from './delivery/smtp/interrupted.ts'
import { usualSchedule } from './delivery/smtp/retry-schedule.ts'
import { exportJobs } from './exports/export-jobs.ts'
import { scheduleJobs } from './imports/schedules/schedule-jobs.ts'
import { importJobs } from './imports/import-jobs.ts'
import { usualWriteBackSchedule } from './write-back/schedule.ts'
import { writeBackJobs } from './write-back/write-back-jobs.ts'
import { webhookJobs } from './webhooks/webhook-jobs.ts'
import { JobWatch } from './job-watch.ts'
import { Housekeeper } from './jobs/housekeeper.ts'
import { type Job, type JobKind, JobRunner } from './jobs/job-runner.ts'
import { retentionRules } from './retention-rules.ts'
import { Clock } from './settings/clock.ts'
import { suppressionJobs } from './suppression/suppression-jobs.ts'
import { ChangeWatch, syncJobs } from './sync/sync-jobs.ts'

/**
 * Starts everything that runs without a request: jobs, background work, retention and automatic backups.
 * @returns a watch of the running jobs
 */
export async function startJobs(
  { dataDirectory, reader, writer }: OpenData,
  { baseUrl, services, stepLoops }: Served,
  {
    only,
    retrySchedule: schedule = usualSchedule,
    writeBackSchedule = usualWriteBackSchedule,
    dnsServers = []
  }: Pick<ApplicationOptions, 'only' | 'retrySchedule' | 'writeBackSchedule' | 'dnsServers'>,
  closing: CloseStack
): Promise<JobWatch> {
  const runners: { close: () => Promise<void> }[] = []
  closing.push(() => Promise.all(runners.map((runner) => runner.close())))
  const start = async <Of extends Job>(kind: JobKind<Of>): Promise<void> => {
    const runner = new JobRunner(kind, writer, dataDirectory)
    runners.push(runner)
    try {
      await runner.wake()
    } catch (error) {
      // Users can look at what is left of a damaged database; its jobs wait for the next start.
      if (storageFaultOf(error)?.kind !== 'damaged') throw error
      process.stderr.write(`${kind.name} does not start: ${messageOf(error)}\n`)
    }
  }
  if (only !== 'syncs') await start(importJobs(reader, writer, dataDirectory))
  if (!only) {
    await start(scheduleJobs(reader, writer, services.credentials))
    await start(exportJobs(reader, writer))
    await start(suppressionJobs(reader, writer))
    await resolveAllInterrupted(reader, writer, dataDirectory, schedule)
    const sending = { credentials: services.credentials, linkBase: baseUrl, schedule, dnsServers }
    await start(deliveryJobs(reader, writer, dataDirectory, sending))
    await start(autoresponderJobs(reader, writer, sending))
    await start(confirmationJobs(reader, writer, sending))
    await start(mailboxJobs(reader, writer, services.credentials))
    await start(gateJobs(reader, writer, services.credentials))
    await start(webhookJobs(reader, writer, services.credentials))
    await start(writeBackJobs(reader, writer, services.credentials, writeBackSchedule))
  }
  await start(syncJobs(reader, writer, services.credentials))
  const changeWatch = new ChangeWatch(writer)
  closing.push(() => changeWatch.close())
  const jobWatch = new JobWatch(reader, writer)
  closing.push(() => jobWatch.close())

  await services.rekeyer.resume()
  services.suppressionRequests.resume()
  const wakeStepLoops = (): void => {
    for (const loop of stepLoops) loop.wake()
  }
  wakeStepLoops()
  const clock = new Clock(reader, writer)
  const housekeeper = new Housekeeper(retentionRules(reader, writer, dataDirectory, wakeStepLoops), (now) =>
    clock.isBelieved(now)
  )
  closing.push(() => housekeeper.close())
  housekeeper.start()
  if (!only) services.backups.start()
  return jobWatch
}
