import { type Static, Type } from 'typebox'
import { envelope } from '../../http/envelope.ts'
import { Filled, Nullable, Reference, withDefault } from '../../http/schema.ts'
import { User } from '../../api/users/schema.ts'
import { unlistedEndpoints } from '../../http/endpoint.ts'

const Session = Type.Object({
  user: User,
  organization: Reference,
  time_zone: Type.String(),
  has_password: Type.Boolean(),
  /** What the user is made to agree to before anything else; null = nothing. */
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

const SwitchInput = Type.Object({ organization_id: Type.Integer({ minimum: 1 }) })

const AgreementInput = Type.Object({ version: Type.Integer({ minimum: 0 }) })

export const sessionEndpoints = unlistedEndpoints({
  'GET /session': { access: 'signed_in', beforeTerms: true, answer: envelope(Session) },

  'POST /session': { access: 'public', body: SignInInput, answer: envelope(Type.Null()) },

  'DELETE /session': { access: 'signed_in', beforeTerms: true, answer: envelope(Type.Null()) },

  'PUT /session/organization': { access: 'system_admin', body: SwitchInput, answer: envelope(Type.Null()) },

  'PUT /session/terms': {
    access: 'signed_in',
    beforeTerms: true,
    body: AgreementInput,
    answer: envelope(Session)
  },

  'PUT /session/password': { access: 'signed_in', body: PasswordInput, answer: envelope(Type.Null()) }
})
