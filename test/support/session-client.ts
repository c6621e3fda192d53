import type { Application } from '../../src-main/app.ts'
import type { MailingList } from '../../src-main/api/mailing-lists/schema.ts'
import type { Session } from '../../src-main/workbench/session/endpoints.ts'
import type { Answer } from './client.ts'

/** The password of test users. */
export const password = 'correct horse'

/** A window: its calls carry the session that it was given last. */
export class SessionClient {
  readonly #app: Pick<Application, 'baseUrl'>
  #session = ''

  constructor(app: Pick<Application, 'baseUrl'>) {
    this.#app = app
  }

  async call<Data>(
    method: string,
    path: string,
    body?: unknown,
    headers: Record<string, string> = {}
  ): Promise<Answer<Data>> {
    const response = await fetch(this.#app.baseUrl + path, {
      method,
      redirect: 'manual',
      headers: { ...headers, ...(this.#session !== '' && { Authorization: `Bearer ${this.#session}` }) },
      ...(body !== undefined && { body: JSON.stringify(body) })
    })
    const text = await response.text()
    const envelope = (text.startsWith('{') ? JSON.parse(text) : {}) as Answer<Data>
    const { session } = (envelope.data ?? {}) as { session?: string }
    if (session !== undefined) this.#session = session
    return { ...envelope, status: response.status, headers: response.headers }
  }

  session(): Promise<Answer<Session>> {
    return this.call('GET', '/app/v1/session')
  }

  signIn(email: string, given = password): Promise<Answer> {
    return this.call('POST', '/app/v1/session', { email, password: given })
  }

  openLink(address: string): Promise<Answer<{ session: string }>> {
    const token = new URL(address).searchParams.get('sign_in')
    return this.call('POST', '/app/v1/session/link', { token })
  }

  async lists(): Promise<string[]> {
    const { data } = await this.call<MailingList[]>('GET', '/ga/api/v2/mailing_lists')
    return data.map(({ name }) => name)
  }
}
