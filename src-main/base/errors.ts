import { englishOf, type Refusal, refusal, type Rule } from './refusal.ts'

/** The error codes of the API's envelope (docs/api.md, "Errors"). */
export type ErrorCode =
  | 'validation_failed'
  | 'invalid_request'
  | 'requested_too_many'
  | 'not_found'
  | 'multiple_records_found'
  | 'not_authorized'
  /** Our own: the record changed since the window read it (database/change-log.ts). */
  | 'conflict'
  | 'internal_error'

/**
 * A refusal that the caller can act on. It crosses threads as `{ code, refusals, data }` and ends in the envelope, where several
 * refusals are joined with ", " (docs/api.md, "Errors").
 */
export class ApiError extends Error {
  readonly code: ErrorCode
  readonly refusals: readonly Refusal[]
  readonly data: unknown

  constructor(code: ErrorCode, reasons: Refusal | readonly Refusal[], data: unknown = null) {
    const refusals = [reasons].flat()
    super(refusals.map(englishOf).join(', '))
    this.name = 'ApiError'
    this.code = code
    this.refusals = refusals
    this.data = data
  }
}

/** An error whose message is a sentence for the user, with the refusal that it words. */
export class ExplainedError extends Error {
  readonly refusal: Refusal

  constructor(reason: Refusal, options?: ErrorOptions) {
    super(englishOf(reason), options)
    this.name = 'ExplainedError'
    this.refusal = reason
  }
}

/** A disk or another program prevents writing; it can be tried again once that is fixed. */
export class StorageFault extends ExplainedError {
  readonly kind: 'full' | 'locked' | 'failing' | 'moved' | 'log_moved' | 'crowded' | 'damaged'

  constructor(kind: StorageFault['kind']) {
    super(refusal(storageRules[kind]))
    this.name = 'StorageFault'
    this.kind = kind
  }
}

const storageRules = {
  full: 'disk_full',
  locked: 'data_locked',
  failing: 'disk_failing',
  moved: 'data_moved',
  log_moved: 'log_moved',
  crowded: 'too_many_open_files',
  damaged: 'database_damaged'
} as const satisfies Record<StorageFault['kind'], Rule>

const kindOfCode: Record<string, StorageFault['kind']> = {
  ENOSPC: 'full',
  EDQUOT: 'full',
  SQLITE_FULL: 'full',
  SQLITE_IOERR_SHMSIZE: 'full',
  EIO: 'failing',
  EMFILE: 'crowded',
  ENFILE: 'crowded',
  EROFS: 'failing',
  SQLITE_BUSY: 'locked',
  SQLITE_BUSY_SNAPSHOT: 'locked',
  SQLITE_LOCKED: 'locked',
  SQLITE_CORRUPT: 'damaged',
  SQLITE_CORRUPT_INDEX: 'damaged',
  SQLITE_CORRUPT_SEQUENCE: 'damaged',
  SQLITE_CORRUPT_VTAB: 'damaged',
  SQLITE_NOTADB: 'damaged',
  SQLITE_IOERR_CORRUPTFS: 'damaged'
}

/** The storage fault behind an error of Node or SQLite; null when it is another one. */
export function storageFaultOf(error: unknown): StorageFault | null {
  if (error instanceof StorageFault) return error
  if (!(error instanceof Error) || !('code' in error)) return null
  const code = String(error.code)
  const kind = kindOfCode[code] ?? (code.startsWith('SQLITE_IOERR') ? 'failing' : null)
  return kind && new StorageFault(kind)
}

/** The end of everything that is written, after {@link isUnsynced}: the next start reads what the disk holds. */
export class Unsynced extends Error {
  readonly code = 'EIO'

  constructor() {
    super(
      'The disk failed to store changes, so Listwright had to stop. Everything that was confirmed before is there at the next start. Check the disk and its cable first.'
    )
    this.name = 'Unsynced'
  }
}

/**
 * True if a sync to disk failed. Systems report lost writes only once, so the state of the last changes is
 * unknown until they are read again.
 */
export function isUnsynced(error: unknown): boolean {
  return (
    error instanceof Error &&
    'code' in error &&
    ['SQLITE_IOERR_FSYNC', 'SQLITE_IOERR_DIR_FSYNC'].includes(String(error.code))
  )
}

const maxReported = 25

/** Input that breaks rules. */
export function validationFailed(...reasons: [Refusal, ...Refusal[]]): ApiError {
  return new ApiError('validation_failed', reasons)
}

/** For a record that is missing or belongs to others, which callers cannot distinguish. */
export function notFound(what: string, id?: string | number): ApiError {
  return new ApiError(
    'not_found',
    id === undefined ? refusal('not_found', { what }) : refusal('record_not_found', { what, id })
  )
}

/** Collects the faults of one input so that a person can fix all of them at once. */
export class Faults {
  /** By sentence: two stages may report the same fault. */
  readonly #refusals = new Map<string, Refusal>()
  #omitted = 0

  add(added: Refusal): void {
    const sentence = englishOf(added)
    if (this.#refusals.has(sentence)) return
    if (this.#refusals.size < maxReported) this.#refusals.set(sentence, added)
    else this.#omitted++
  }

  /** The error to answer; undefined without faults. */
  get refusal(): ApiError | undefined {
    const [first, ...rest] = this.#refusals.values()
    if (first === undefined) return undefined
    if (this.#omitted > 0) rest.push(refusal('and_more', { count: this.#omitted }))
    return validationFailed(first, ...rest)
  }

  /** @throws ApiError validation_failed when anything was added. */
  throwIfAny(): void {
    const { refusal } = this
    if (refusal) throw refusal
  }
}

/**
 * Describes an unexpected error.
 * @param what it stopped, as the subject of a sentence
 */
export function internalError(what: string, error: unknown): Refusal {
  return refusal('stopped_by_internal_error', { what, fault: messageOf(error) })
}

/** The refusal behind anything that was thrown; the message alone for an error that has none. */
export function refusalOf(error: unknown): Refusal {
  if (error instanceof ExplainedError) return error.refusal
  if (error instanceof ApiError) return joinRefusals(error.refusals)
  return refusal('said', { text: messageOf(error) })
}

/** Several refusals as one. */
export function joinRefusals(refusals: readonly Refusal[]): Refusal {
  const [first, ...others] = refusals
  return first !== undefined && others.length === 0 ? first : refusal('several', { faults: refusals })
}

/** The message of anything that was thrown. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
