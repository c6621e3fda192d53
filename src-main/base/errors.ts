import { englishOf, type Refusal, refusal } from './refusal.ts'

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

/** The reason of a refusal. A sentence stands for a reason that has no rule yet. */
type Reason = Refusal | string

function asRefusal(reason: Reason): Refusal {
  return typeof reason === 'string' ? refusal('said', { text: reason }) : reason
}

/**
 * A refusal that the caller can act on. It crosses threads as `{ code, refusals, data }` and ends in the envelope, where several
 * refusals are joined with ", " (docs/api.md, "Errors").
 */
export class ApiError extends Error {
  readonly code: ErrorCode
  readonly refusals: readonly Refusal[]
  readonly data: unknown

  constructor(code: ErrorCode, reasons: Reason | readonly Reason[], data: unknown = null) {
    const refusals = [reasons].flat().map(asRefusal)
    super(refusals.map(englishOf).join(', '))
    this.name = 'ApiError'
    this.code = code
    this.refusals = refusals
    this.data = data
  }
}

/** A disk or another program prevents writing; it can be tried again once that is fixed. */
export class StorageFault extends Error {
  readonly kind: 'full' | 'locked' | 'failing' | 'moved' | 'log_moved' | 'crowded' | 'damaged'

  constructor(kind: StorageFault['kind']) {
    super(storageFaults[kind])
    this.name = 'StorageFault'
    this.kind = kind
  }
}

const storageFaults = {
  full: 'the disk is full. Free some space',
  locked: 'the data is locked by another program, such as a database browser. Close it there',
  failing: 'the disk has failed to read or write. Check the disk and its cable',
  moved: 'the data is no longer in its folder, which was moved, removed or replaced. Put it back',
  log_moved: 'the log of the database is no longer in its folder. Put it back, or start Listwright again,',
  crowded: 'too many files are open on this computer. Close other programs',
  damaged: 'the database is damaged, and nothing is written until this is fixed on the Backups page'
} as const

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
  /** Tells callers of a command the kind of fault across threads. */
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

/** Faults that are listed one by one. */
const maxReported = 25

/** Input that breaks rules. */
export function validationFailed(...reasons: [Reason, ...Reason[]]): ApiError {
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

  add(reason: Reason): void {
    const added = asRefusal(reason)
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
export function internalError(what: string, error: unknown): string {
  return `${what} was stopped by an internal error: ${messageOf(error)}`
}

/** The message of anything that was thrown. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
