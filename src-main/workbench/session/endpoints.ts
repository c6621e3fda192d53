import { type Static, Type } from 'typebox'
import { envelope } from '../../http/envelope.ts'
import { Filled, IdParams, Nullable, Reference, Timestamp, withDefault } from '../../http/schema.ts'
import { User } from '../../api/users/schema.ts'
import { unlistedEndpoints } from '../../http/endpoint.ts'

const Session = Type.Object({
  user: User,
  organization: Reference,
  time_zone: Type.String(),
  has_password: Type.Boolean(),
  /** False for a window that was opened with an API key: it keeps the key's organization. */
  may_switch_organization: Type.Boolean(),
  /** The terms that the user must agree to first; null = none. */
  terms: Nullable(Type.Object({ version: Type.Integer(), text: Type.String() }))
})
export type Session = Static<typeof Session>

const SignInInput = Type.Object({ email: Type.String(), password: Type.String({ maxLength: 1000 }) })

const PasswordInput = Type.Object({
  /** The present one, where there is one. */
  password: withDefault(Type.String({ maxLength: 1000 }), ''),
  password1: Filled({ maxLength: 1000 }),
  password2: Filled({ maxLength: 1000 })
})

/**
 * The token that a window sends with each call as `Authorization: Bearer …`, kept in its origin's storage.
 */
const SignedIn = Type.Object({ session: Type.String() })

const LinkInput = Type.Object({ token: Type.String({ maxLength: 100 }) })

/** A path of this server with its query, such as /app/v1/audit_log/csv?days=7. */
const TicketInput = Type.Object({ address: Type.String({ pattern: '^/(ga|app)/', maxLength: 20_000 }) })

const OpenWindow = Type.Object({
  id: Type.Integer(),
  user_name: Type.String(),
  organization_name: Type.String(),
  /** The API key that opened it, and with which it ends; null = a password or a link of the application. */
  api_key_name: Nullable(Type.String()),
  user_agent: Nullable(Type.String()),
  created_at: Timestamp,
  last_used_at: Nullable(Timestamp),
  is_this_window: Type.Boolean()
})
export type OpenWindow = Static<typeof OpenWindow>

const SwitchInput = Type.Object({ organization_id: Type.Integer({ minimum: 1 }) })

const AgreementInput = Type.Object({ version: Type.Integer({ minimum: 0 }) })

export const sessionEndpoints = unlistedEndpoints({
  'GET /session': { access: 'signed_in', beforeTerms: true, answer: envelope(Session) },

  'POST /session': { access: 'public', body: SignInInput, answer: envelope(SignedIn) },

  // Uses the one-time token of a link.
  'POST /session/link': { access: 'public', body: LinkInput, answer: envelope(SignedIn) },

  // Makes an address that a browser can download once, without the window's header.
  'POST /tickets': {
    access: 'signed_in',
    body: TicketInput,
    answer: envelope(Type.Object({ address: Type.String() }))
  },

  'GET /windows': { access: 'signed_in', answer: envelope(Type.Array(OpenWindow)) },

  'DELETE /windows/:id': { access: 'signed_in', params: IdParams, answer: envelope(Type.Null()) },

  'DELETE /session': { access: 'signed_in', beforeTerms: true, answer: envelope(Type.Null()) },

  'PUT /session/organization': { access: 'system_admin', body: SwitchInput, answer: envelope(Type.Null()) },

  'PUT /session/terms': {
    access: 'signed_in',
    beforeTerms: true,
    body: AgreementInput,
    answer: envelope(Session)
  },

  'PUT /session/password': { access: 'signed_in', body: PasswordInput, answer: envelope(SignedIn) }
})
