import { randomBytes, scrypt, timingSafeEqual } from 'node:crypto'
import { ApiError, validationFailed } from '../../errors.ts'

/** scrypt with 64 MiB a password (OWASP, "Password Storage"); written into each hash, so that it can grow. */
const cost = { N: 2 ** 16, r: 8, p: 2 }
const hashBytes = 32

/** How many wait for their turn before further ones are refused: some 10 s of work. */
const maxWaiting = 16
let waiting = 0
let last: Promise<unknown> = Promise.resolve()

/**
 * Takes turns: a password takes a third of a second of a thread of Node's pool, in which files are read as well, so that
 * many at once would hold up everything else.
 * @throws ApiError requested_too_many, answered with 429, when too many wait
 */
function inTurn<Result>(work: () => Promise<Result>): Promise<Result> {
  if (waiting >= maxWaiting) {
    const fault = new ApiError(
      'requested_too_many',
      'too many passwords are being checked; try again in a few seconds'
    )
    return Promise.reject(Object.assign(fault, { statusCode: 429 }))
  }
  waiting++
  const result = last.then(work).finally(() => waiting--)
  last = result.catch(() => undefined)
  return result
}

/** The same letters composed in another way are the same password (RFC 8265). */
function derive(password: string, salt: Buffer, { N, r, p }: typeof cost): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    scrypt(password.normalize('NFC'), salt, hashBytes, { N, r, p, maxmem: 256 * N * r }, (error, hash) => {
      if (error) reject(error)
      else resolve(hash)
    })
  })
}

/** @returns the hash with what it was made with: `scrypt:N:r:p:salt:hash` */
export async function hashPassword(password: string): Promise<string> {
  const salt = randomBytes(16)
  const hash = await inTurn(() => derive(password, salt, cost))
  return ['scrypt', cost.N, cost.r, cost.p, salt.toString('hex'), hash.toString('hex')].join(':')
}

/**
 * Takes as long for a user without a password, or one who may not try, or does not exist, as for others.
 * @param mayTry asked when it is the turn of this password, so that one that is not looked at does not count as tried
 */
export function isPassword(
  password: string,
  storedHash: string | null,
  mayTry: () => Promise<boolean>
): Promise<boolean> {
  const [, N, r, p, salt = '', hash = ''] = storedHash?.split(':') ?? []
  const parameters = storedHash === null ? cost : { N: Number(N), r: Number(r), p: Number(p) }
  return inTurn(async () => {
    const counts = await mayTry()
    const derived = await derive(password, Buffer.from(salt, 'hex'), parameters)
    return counts && storedHash !== null && timingSafeEqual(derived, Buffer.from(hash, 'hex'))
  })
}

/** Shorter ones are guessed too easily (NIST SP 800-63B). */
export const minPasswordLength = 8

/**
 * The password of a request that names it twice, hashed; undefined when it names none.
 * @throws ApiError validation_failed when the two differ or one is missing
 */
export async function readNewPassword({
  password1,
  password2
}: {
  password1?: string | undefined
  password2?: string | undefined
}): Promise<string | undefined> {
  if (password1 === undefined && password2 === undefined) return undefined
  if (password1 === undefined) throw validationFailed('password1 cannot be blank when password2 is given')
  if (password1 !== password2) throw validationFailed('password2 must be the same as password1')
  if ([...password1].length < minPasswordLength) {
    throw validationFailed(`password1 must be at least ${minPasswordLength} characters`)
  }
  return hashPassword(password1)
}
