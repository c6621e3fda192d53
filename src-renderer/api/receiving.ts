import type { mailboxEndpoints } from '../../src-main/api/mailboxes/endpoints.ts'
import type {
  Mailbox,
  MailboxChanges,
  MailboxInput,
  MailboxTest
} from '../../src-main/api/mailboxes/schema.ts'
import type {
  judgementEndpoints,
  mailboxTestEndpoints,
  receivingEndpoints
} from '../../src-main/receiving/endpoints.ts'
import type {
  AppliedJudgement,
  JudgementPreview,
  ReceivedKind,
  ReceivedMessage
} from '../../src-main/receiving/schema.ts'
import { apiCalls, type Page, type RecordVersion } from './client.ts'

export type { JudgementPreview, Mailbox, MailboxInput, MailboxTest, ReceivedKind, ReceivedMessage }

const mailboxes = apiCalls<typeof mailboxEndpoints>()
const tests = apiCalls<typeof mailboxTestEndpoints>()
const received = apiCalls<typeof receivingEndpoints>()
const judgements = apiCalls<typeof judgementEndpoints>()

export function fetchMailboxes(): Promise<Mailbox[]> {
  return mailboxes.call('GET /mailboxes')
}

export function fetchMailbox(id: number, version?: RecordVersion): Promise<Mailbox> {
  return mailboxes.call('GET /mailboxes/:id', { params: { id }, version })
}

export function createMailbox(mailbox: MailboxInput): Promise<Mailbox> {
  return mailboxes.call('POST /mailboxes', { body: { mailbox } })
}

export function updateMailbox(
  id: number,
  mailbox: MailboxChanges,
  version?: RecordVersion
): Promise<Mailbox> {
  return mailboxes.call('PUT /mailboxes/:id', { params: { id }, body: { mailbox }, version })
}

export async function deleteMailbox(id: number): Promise<void> {
  await mailboxes.call('DELETE /mailboxes/:id', { params: { id } })
}

export function testMailbox(id: number): Promise<MailboxTest> {
  return tests.call('POST /mailboxes/:id/test', { params: { id } })
}

/** Newest first. @param kind undefined = all @param page from 0 */
export function fetchReceived(
  kind: ReceivedKind | undefined,
  page: number,
  size: number
): Promise<Page<ReceivedMessage>> {
  return received.page('GET /received_messages', { query: { page, per_page: size, ...(kind && { kind }) } })
}

/** Hands over a message as it was received. */
export function receiveMessage(message: Blob): Promise<ReceivedMessage> {
  return received.call('POST /received_messages', { body: message })
}

/** The address of a message as it came. */
export function rawAddress(id: number): string {
  return received.address('GET /received_messages/:id/raw', { params: { id } })
}

/** Returns what judging the stored bounces again would change. */
export function previewJudgement(): Promise<JudgementPreview> {
  return judgements.call('GET /judgements/preview')
}

export function applyJudgement(): Promise<AppliedJudgement> {
  return judgements.call('POST /judgements')
}

export async function undoJudgement(id: number): Promise<void> {
  await judgements.call('POST /judgements/:id/undo', { params: { id } })
}
