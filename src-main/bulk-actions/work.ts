import type { KeptReason } from '../api/bulk-actions/schema.ts'

// What each kind of action is: how it changes some subscribers, and how that is taken back.

/** The data for undoing the change of one subscriber; its form depends on the kind of action. */
export type Note = readonly unknown[]

/** A skipped subscriber with the reason. */
export interface Kept {
  id: number
  email: string
  reason: KeptReason
  /** Details of the reason, such as the name of a field. */
  detail?: string
}

/** The outcome for some subscribers; those in none of the three were deleted. */
export interface Applied<OwnNote extends Note> {
  notes: OwnNote[]
  /** Subscribers that were like this already. */
  same: number
  kept: Kept[]
}

/** The outcome of undoing some notes; subscribers that neither counts were deleted. */
export interface TakenBack<OwnNote extends Note> {
  restored: number
  kept: Kept[]
  /** The notes of those who were kept: they may be taken back another time. */
  left: OwnNote[]
}

/**
 * Returns the notes of the skipped subscribers.
 * @param idOf the subscriber of a note; its first item by default
 */
export function notesOf<OwnNote extends Note>(
  notes: readonly OwnNote[],
  kept: readonly Kept[],
  idOf: (note: OwnNote) => unknown = ([id]) => id
): OwnNote[] {
  const ids = new Set<unknown>(kept.map(({ id }) => id))
  return notes.filter((note) => ids.has(idOf(note)))
}

/**
 * The work of one command.
 * @typeParam OwnNote the notes of this kind of action. They are stored as JSON, and only the kind that wrote
 * them reads them: hence methods, whose parameters may be narrower than `Note`.
 */
export interface BulkWork<OwnNote extends Note> {
  apply(ids: readonly number[]): Promise<Applied<OwnNote>>
  /**
   * Undoes what was written at a time, for subscribers that were not changed since. Restores updated_at too,
   * so that an earlier action can be undone after a later one.
   */
  takeBack(notes: OwnNote[], writtenAt: number): Promise<TakenBack<OwnNote>>
  /** Updates what is stored about the list as a whole. Called once at the end of the command. */
  finish(): Promise<void>
}
