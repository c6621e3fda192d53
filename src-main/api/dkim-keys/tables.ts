import type { Generated } from 'kysely'
import type { CredentialPlace } from '../../base/credential-places.ts'
import type { Fixed, Flag, Time } from '../../database/schema.ts'

/** A key that signs the messages of a sender domain (DKIM). Its private half is kept elsewhere (base/credentials.ts). */
export interface DkimKeysTable {
  id: Generated<number>
  organization_id: Fixed<number>
  /** In lower case and ASCII. */
  domain: Fixed<string>
  selector: Fixed<string>
  /** The DER of the RSA public key in base64, as its DNS record has it. */
  public_key: Fixed<string>
  is_enabled: Flag
  /** null until the private half is stored. */
  credential_place: CredentialPlace | null
  created_at: Fixed<Time>
  updated_at: Time
}

declare module '../../database/schema.ts' {
  interface Schema {
    dkim_keys: DkimKeysTable
  }
  interface ChangedEntities {
    dkim_key: unknown
  }
}
