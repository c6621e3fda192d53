import { randomBytes, scrypt, timingSafeEqual } from 'node:crypto'
import { ApiError, validationFailed } from '../../base/errors.ts'
import { refusal } from '../../base/refusal.ts'

declare module '../../http/context.ts' {
  interface ApplicationContext {
    passwords: Passwords
  }
}

/** scrypt with 64 MiB a password (OWASP, "Password Storage"); written into each hash, so that it can grow. */
const defaultCost = { N: 2 ** 16, r: 8, p: 2 }
export type PasswordCost = typeof defaultCost
const hashBytes = 32

/** Limit of a password check's wait in the queue, in milliseconds. Beyond it the request is refused. */
const maxWait = 2000
/** Expected duration of a check before the first one was measured, in milliseconds. */
const expectedTime = 350

/**
 * Hashes passwords and checks them, one after the other: each takes a third of a second of a thread of Node's pool, in which
 * files are read as well, so that many at once would hold up everything else.
 */
export class Passwords {
  readonly #cost: PasswordCost
  #waiting = 0
  /** In milliseconds. */
  #lastTook = expectedTime
  #last: Promise<unknown> = Promise.resolve()

  constructor(cost = defaultCost) {
    this.#cost = cost
  }

  /**
   * @returns the hash with what it was made with: `scrypt:N:r:p:salt:hash`
   * @throws ApiError requested_too_many, answered with 429, when too many wait
   */
  async hash(password: string): Promise<string> {
    const { N, r, p } = this.#cost
    const salt = randomBytes(16)
    const hash = await this.#inTurn(() => derive(password, salt, this.#cost))
    return ['scrypt', N, r, p, salt.toString('hex'), hash.toString('hex')].join(':')
  }

  /**
   * Checks a password. Takes the same time if the user has none, is locked out or does not exist.
   * @param mayTry called when its turn comes, so that a refused request does not count as an attempt
   * @throws ApiError as {@link hash}
   */
  isRight(password: string, storedHash: string | null, mayTry: () => Promise<boolean>): Promise<boolean> {
    const [, N, r, p, salt = '', hash = ''] = storedHash?.split(':') ?? []
    const cost = storedHash === null ? this.#cost : { N: Number(N), r: Number(r), p: Number(p) }
    return this.#inTurn(async () => {
      const counts = await mayTry()
      const derived = await derive(password, Buffer.from(salt, 'hex'), cost)
      return counts && storedHash !== null && timingSafeEqual(derived, Buffer.from(hash, 'hex'))
    })
  }

  /**
   * The password of a request that names it twice, hashed; undefined when it names none.
   * @throws ApiError validation_failed when the two differ or one is missing
   */
  async readNew({ password1, password2 }: NewPassword): Promise<string | undefined> {
    if (password1 === undefined && password2 === undefined) return undefined
    if (password1 === undefined)
      throw validationFailed(refusal('blank_when_given', { field: 'password1', other: 'password2' }))
    if (password1 !== password2)
      throw validationFailed(refusal('same_as', { field: 'password2', other: 'password1' }))
    if ([...password1].length < minPasswordLength) {
      throw validationFailed(refusal('minimum_length', { field: 'password1', least: minPasswordLength }))
    }
    return this.hash(password1)
  }

  #inTurn<Result>(work: () => Promise<Result>): Promise<Result> {
    if (this.#waiting * this.#lastTook >= maxWait) {
      const fault = new ApiError('requested_too_many', refusal('too_many_passwords'))
      return Promise.reject(Object.assign(fault, { statusCode: 429 }))
    }
    this.#waiting++
    const timed = async (): Promise<Result> => {
      const began = performance.now()
      try {
        return await work()
      } finally {
        this.#lastTook = performance.now() - began
      }
    }
    const result = this.#last.then(timed).finally(() => this.#waiting--)
    this.#last = result.catch(() => undefined)
    return result
  }
}

/** The same letters composed in another way are the same password (RFC 8265). */
function derive(password: string, salt: Buffer, { N, r, p }: PasswordCost): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    scrypt(password.normalize('NFC'), salt, hashBytes, { N, r, p, maxmem: 256 * N * r }, (error, hash) => {
      if (error) reject(error)
      else resolve(hash)
    })
  })
}

/** Shorter ones are guessed too easily (NIST SP 800-63B). */
export const minPasswordLength = 8

interface NewPassword {
  password1?: string | undefined
  password2?: string | undefined
}
