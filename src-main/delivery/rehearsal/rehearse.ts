import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Kysely } from 'kysely'
import { dispatchOf } from '../../api/campaigns/queries.ts'
import { clauseOf } from '../../api/segments/queries.ts'
import { resolveConditions } from '../../api/segments/settled.ts'
import { serversOfRoute } from '../../api/smtp-servers/queries.ts'
import { suppressedAmong } from '../../api/suppression-lists/queries.ts'
import { validationFailed } from '../../base/errors.ts'
import { refusal } from '../../base/refusal.ts'
import type { Schema } from '../../database/schema.ts'
import { campaignPlanOf, campaignToSend } from '../campaign-plan.ts'
import { attributesIn } from '../markup.ts'
import { type CarriedFiles, carriedFiles, MessageComposer } from '../message.ts'
import type { MessagePlan, PlannedContent } from '../plan.ts'
import { recipientsAfter } from '../queries.ts'
import { addresseeOf } from '../recipients.ts'
import type { RehearsalReport } from './schema.ts'

/** Gmail shows so much of a message's text, in bytes. */
const cutAfter = 102 * 1024
const readAtOnce = 500
/** Base64 in lines takes this much more than the file. */
const base64Growth = 78 / 57

/**
 * Composes the message to every recipient of a campaign as it would be sent now, and sends none.
 * @param onProgress receives the recipients so far
 * @returns null if it was stopped
 * @throws ApiError validation_failed for a campaign without a content, or to a Remote List
 */
export async function rehearse(
  db: Kysely<Schema>,
  campaignId: number,
  linkBase: string,
  { signal, onProgress }: { signal: AbortSignal; onProgress: (checked: number) => void }
): Promise<RehearsalReport | null> {
  const campaign = await campaignToSend(db, campaignId)
  if (campaign.is_remote_list === 1) throw validationFailed(refusal('remote_list_rehearsal'))
  const dispatch = await dispatchOf(db, campaignId)
  const { organization_id: organizationId, mailing_list_id: mailingListId } = campaign
  const leaves = (await serversOfRoute(db, organizationId, dispatch?.virtual_mta_id ?? 0)).length > 0
  const plan = await campaignPlanOf(db, campaign, { linkBase, leaves })
  if (!plan) throw validationFailed(refusal('campaign_without_content'))
  const clause = campaign.clause === null ? [] : clauseOf({ clause: campaign.clause })
  const recipients = {
    ...{ organizationId, mailingListId, lastId: Number.MAX_SAFE_INTEGER },
    clause: resolveConditions(clause, { now: Date.now(), timeZone: campaign.time_zone_name })
  }
  const count = new Count(plan, await carriedFiles(db, plan))
  let checked = 0
  for (let afterId = 0; ;) {
    const rows = await recipientsAfter(db, recipients, afterId, readAtOnce)
    const emails = rows.map(({ email }) => email)
    const suppressed = await suppressedAmong(db, recipients, emails)
    for (const [index, row] of rows.entries()) {
      if (suppressed.has(row.email)) count.report.suppressed++
      else count.add(addresseeOf(row, campaign.has_format === 1), checked + index)
    }
    checked += rows.length
    onProgress(checked)
    await nextTurn()
    if (signal.aborted) return null
    const last = rows.at(-1)
    if (!last || rows.length < readAtOnce) break
    afterId = last.id
  }
  return { ...count.report, ...(await duplicatesIn(db, mailingListId)) }
}

/** What is counted of the messages so far. */
class Count {
  readonly report: Omit<RehearsalReport, 'duplicates' | 'duplicate_example'>
  readonly #plan: MessagePlan
  readonly #composer: MessageComposer
  /** Bytes that pictures and attachments add to each message. */
  readonly #carried: number
  readonly #links: ReadonlyMap<number, string[]>
  readonly #missing = new Map<string, RehearsalReport['missing_values'][number]>()

  constructor(plan: MessagePlan, { images, attachments }: CarriedFiles) {
    this.#plan = plan
    this.#composer = new MessageComposer(plan)
    this.#carried = [...images, ...attachments].reduce(
      (sum, { bytes }) => sum + Math.ceil(bytes.length * base64Growth),
      0
    )
    this.#links = new Map(plan.contents.map((content) => [content.id, targetsIn(content)]))
    this.report = {
      ...{ messages: 0, bytes: 0, largest: 0, too_large: 0, suppressed: 0 },
      missing_values: [],
      unknown_codes: [...new Set(plan.contents.flatMap(({ id }) => this.#composer.unknownCodes(id)))],
      ...{ empty_links: 0, empty_link_example: null }
    }
  }

  /** @param place of the recipient: the contents of a split test take turns */
  add(addressee: ReturnType<typeof addresseeOf>, place: number): void {
    const content = this.#plan.contents[place % this.#plan.contents.length] ?? this.#plan.contents[0]
    const size = this.#composer.compose(content.id, addressee).content.length
    const { report } = this
    report.messages++
    report.bytes += size + this.#carried
    report.largest = Math.max(report.largest, size)
    if (size > cutAfter) report.too_large++
    for (const { source, hasFallback } of this.#composer.blankCodes(content.id, addressee)) {
      const missing = this.#missing.get(source) ?? this.#firstMissing(source, hasFallback, addressee.email)
      missing.recipients++
    }
    const isEmpty = (this.#links.get(content.id) ?? []).some((target) =>
      leadsNowhere(this.#composer.writeLink(target, content.id, addressee))
    )
    if (!isEmpty) return
    report.empty_links++
    report.empty_link_example ??= addressee.email
  }

  #firstMissing(code: string, has_fallback: boolean, example: string) {
    const missing = { code, recipients: 0, has_fallback, example }
    this.#missing.set(code, missing)
    this.report.missing_values.push(missing)
    return missing
  }
}

/** Returns the targets of a content's links that may lead nowhere: those that hold codes, or nothing. */
function targetsIn({ html }: PlannedContent): string[] {
  const targets = new Set<string>()
  for (const { tag, name, start, end } of attributesIn(html)) {
    const target = html.slice(start, end).trim()
    if (tag === 'a' && name === 'href' && (target.includes('%%') || leadsNowhere(target))) targets.add(target)
  }
  return [...targets]
}

function leadsNowhere(target: string): boolean {
  return /^(?:#|https?:(?:\/\/)?)?$/i.test(target.trim())
}

/** Only lists with a primary key of their own may hold an address twice. */
async function duplicatesIn(
  db: Kysely<Schema>,
  mailingListId: number
): Promise<Pick<RehearsalReport, 'duplicates' | 'duplicate_example'>> {
  const shared = db
    .selectFrom('subscribers')
    .select('email_key')
    .where('mailing_list_id', '=', mailingListId)
    .where('alternate_key', 'is not', null)
    .where('status', '=', 'active')
    .groupBy('email_key')
    .having((have) => have.fn.countAll<number>(), '>', 1)
  const { duplicates, example } = await db
    .selectFrom(shared.as('shared'))
    .select((select) => [
      select.fn.countAll<number>().as('duplicates'),
      select.fn.min<string | null>('email_key').as('example')
    ])
    .executeTakeFirstOrThrow()
  return { duplicates, duplicate_example: example }
}
