import type { Change } from '../../database/command.ts'

/** Tells the window that something of this kind changed, on this list. */
export interface LiveEvent {
  entity: Change['entity']
  mailing_list_id: number | null
}
