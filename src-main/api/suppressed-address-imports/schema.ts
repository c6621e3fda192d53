import { type Static, Type } from 'typebox'
import { Nullable, Timestamp, WindowFault } from '../../http/schema.ts'

/** docs/api.md, "Jobs". */
export const suppressedAddressImportStates = [
  'idle',
  'scheduled',
  'splitting',
  'importing',
  'paused',
  'finished',
  'failed',
  'cancelled'
] as const
export type SuppressedAddressImportState = (typeof suppressedAddressImportStates)[number]

export const SuppressedAddressImport = Type.Object({
  id: Type.Integer(),
  suppression_list_id: Type.Integer(),
  filename: Type.String(),
  state: Type.Enum([...suppressedAddressImportStates]),
  error_message: Nullable(Type.String()),
  fault: WindowFault,
  number_of_records: Nullable(Type.Integer()),
  records_read: Type.Integer(),
  /** Excludes addresses that the list had already. */
  addresses_added: Type.Integer(),
  /** Records without an address, domain or MD5 sum. */
  records_skipped: Type.Integer(),
  created_at: Timestamp,
  finished_at: Nullable(Timestamp)
})
export type SuppressedAddressImport = Static<typeof SuppressedAddressImport>
