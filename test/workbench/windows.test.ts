import { describe, expect, it } from 'vitest'
import { sharedApplication } from '../support/application.ts'

/** The page that the first one leads on to. */
function pageOf({ headers }: Response): string | null {
  const to = new URL(headers.get('Location') ?? '', 'http://own.invalid')
  return to.pathname === '/' ? (to.searchParams.get('page') ?? '/') : null
}

describe('a link that signs a window in', () => {
  const started = sharedApplication()

  /** Where a link with this page leads, and whether it signs in. */
  async function follow(query: string): Promise<{ status: number; to: string | null; signsIn: boolean }> {
    const token = new URL(started.app.interfaceUrl()).searchParams.get('sign_in') ?? ''
    const answer = await fetch(`${started.app.baseUrl}/?sign_in=${token}${query}`, { redirect: 'manual' })
    const to = pageOf(answer)
    return { status: answer.status, to, signsIn: answer.headers.has('Set-Cookie') }
  }

  it.each([
    ['', '/'],
    ['&page=/lists/7', '/lists/7'],
    ['&page=%2Flists%2F7%3Fcreate%23top', '/lists/7?create#top'],
    ['&page=/lists/日本', '/lists/%E6%97%A5%E6%9C%AC'],
    // Other servers, other addresses of this one, and what is no address at all.
    ['&page=//evil.example/', '/'],
    ['&page=/%5Cevil.example/', '/'],
    ['&page=https://evil.example/', '/'],
    ['&page=javascript:alert(1)', '/'],
    ['&page=//[', '/'],
    ['&page=/app/v1/session', '/'],
    ['&page=/lists/../app/v1/session', '/'],
    ['&page=/lists&page=/jobs', '/'],
    ['&page=/a%0D%0ASet-Cookie:%20x=1', '/aSet-Cookie:%20x=1'],
    ['&page=/%00', '/']
  ])('with %s leads to %s, and uses its token up', async (query, page) => {
    expect(await follow(query)).toEqual({ status: 302, to: page, signsIn: true })
  })

  it('is made for a program with a key of a system administrator', async () => {
    const { data } = await started.api.workbench<{ address: string }>('POST', '/windows', {
      page: '/lists/1'
    })
    const answer = await fetch(data.address, { redirect: 'manual' })
    expect(pageOf(answer)).toBe('/lists/1')
    expect((await started.api.workbench('POST', '/windows', { page: 'lists' })).success).toBe(false)
  })
})
