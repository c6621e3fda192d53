import type { KeptReason } from '../api/bulk-actions/schema.ts'

// What each kind of action is: how it changes some subscribers, and how that is taken back.

/** What taking back a change of one subscriber needs to know; each kind has its own. */
export type Note = readonly unknown[]

/** Somebody who was left as they were, and why. */
export interface Kept {
  id: number
  email: string
  reason: KeptReason
  /** What the reason does not say, such as the name of a field. */
  detail?: string
}

/** What became of some subscribers; those who are in none of the three are gone. */
export interface Applied {
  /** Of each who was changed. */
  notes: Note[]
  /** How many were so already. */
  same: number
  kept: Kept[]
}

/** What became of some notes; whom neither counts is gone. */
export interface TakenBack {
  restored: number
  kept: Kept[]
  /** The notes of those who were kept: they may be taken back another time. */
  left: Note[]
}

/** The notes of those who were kept. @param idOf whom a note is about; by default what it begins with */
export function notesOf(
  notes: readonly Note[],
  kept: readonly Kept[],
  idOf: (note: Note) => unknown = ([id]) => id
): Note[] {
  const ids = new Set<unknown>(kept.map(({ id }) => id))
  return notes.filter((note) => ids.has(idOf(note)))
}

/** The work of one command. */
export interface BulkWork {
  /** Changes some subscribers of the list. */
  apply: (ids: readonly number[]) => Promise<Applied>
  /**
   * Takes back what was written at a time, where nobody has changed it since. Subscribers get the time of their last change back as
   * well: so an earlier action can still be undone after a later one was.
   */
  takeBack: (notes: Note[], writtenAt: number) => Promise<TakenBack>
  /** Brings up to date what is kept of the list as a whole, once, at the end of the command. */
  finish: () => Promise<void>
}
