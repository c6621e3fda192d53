import { type Static, Type } from 'typebox'
import type { SignUpRules } from '../public-pages/sign-up.ts'

// What a gate and the application that it belongs to say to each other, under /gate/v1 and with the gate's key.

export const protocolPath = '/gate/v1'

/** Kinds of events. A visit counts nothing, but may show that a program follows links. */
export const gateEventKinds = [
  'open',
  'click',
  'visit',
  'unsubscribe',
  'resubscribe',
  'confirm',
  'preferences',
  'sign_up'
] as const
export type GateEventKind = (typeof gateEventKinds)[number]

/** Longest sealed data of an event, in characters. */
export const maxEventData = 100_000

/** What a visitor did with a link. */
export const GateEvent = Type.Object({
  /** Grows within an epoch. */
  number: Type.Integer({ minimum: 1 }),
  kind: Type.Enum([...gateEventKinds]),
  /** Names the recipient and the content; see api/subscribers/tokens.ts. */
  token: Type.String({ maxLength: 100 }),
  /** What the token allows. */
  purpose: Type.Enum(['unsubscribe', 'view', 'open', 'click', 'confirm', 'sign_up']),
  /** The id of a clicked link; for a visit, the name of what was visited. */
  link: Type.String({ maxLength: 20 }),
  ip: Type.String({ maxLength: 45 }),
  /** True if a program named itself as one. */
  is_machine: Type.Boolean(),
  /** UNIX milliseconds. */
  at: Type.Integer({ minimum: 0 }),
  /** What was chosen or entered: {@link Preferences} or {@link SignUp} as JSON, sealed with the key of the page. Earlier gates have none. */
  data: Type.Optional(Type.String({ maxLength: maxEventData }))
})
export type GateEvent = Static<typeof GateEvent>

/** 32 hex digits: each start of a gate is an epoch, so that a gate restored from a copy numbers nothing twice. */
const Epoch = Type.String({ pattern: '^[0-9a-f]{32}$' })

export const GateStatus = Type.Object({
  version: Type.String({ maxLength: 100 }),
  /** SHA-256 of the secret that it checks links with, in hex; null = it belongs to no application yet. */
  secret_digest: Type.Union([Type.String({ maxLength: 64 }), Type.Null()]),
  /** Changes with everything that is handed over. */
  state: Type.String({ maxLength: 64 }),
  /** Its clock, in UNIX milliseconds. */
  now: Type.Integer({ minimum: 0 }),
  /** True if it takes no more events until some are fetched. */
  is_full: Type.Boolean(),
  /** By age. */
  epochs: Type.Array(
    Type.Object({
      epoch: Epoch,
      /** The number of its last event. */
      last: Type.Integer({ minimum: 0 }),
      /** The number up to which its events are known to be fetched. */
      fetched: Type.Integer({ minimum: 0 })
    }),
    { maxItems: 100_000 }
  )
})
export type GateStatus = Static<typeof GateStatus>

/** Each is checked by itself: one that is not as it should be must not hold up the others. */
export const GateEvents = Type.Object({
  events: Type.Array(Type.Object({ number: Type.Integer({ minimum: 1 }) }), { maxItems: 10_000 })
})

/** The keys of the contents that a gate has, with the SHA-256 of each in hex. */
export const GateContents = Type.Object({
  contents: Type.Record(Type.String(), Type.String()),
  images: Type.Array(Type.String())
})
export type GateContents = Static<typeof GateContents>

/** What a gate serves of one content: `s` and its statistics id, or `f` or `p` and the id of a form. */
export const GateContent = Type.Object({
  /** Link id -> target, as written in the content: codes in it are filled in by the link, which is signed then. */
  links: Type.Record(Type.String({ pattern: '^\\d{1,15}$' }), Type.String({ maxLength: 20_000 })),
  /** {@link SealedPages}, or {@link SealedForm} of `p`, sealed. */
  pages: Type.String(),
  /** {@link SealedMessage}, sealed; null = it has no web version. */
  message: Type.Union([Type.String(), Type.Null()])
})
export type GateContent = Static<typeof GateContent>

/** HTML by language; `unsubscribe` and `confirm` are asked for first, the others answer what was posted. */
export type SealedPages = Record<string, { en: string; de: string }>

/** The page of a form, and what is asked for on it. */
export interface SealedForm {
  pages: SealedPages
  rules: SignUpRules
}

/** The web version of a content, the same for all recipients. */
export interface SealedMessage {
  type: 'text/html' | 'text/plain'
  body: string
}

/** Stands in a web version for the address that unsubscribes its reader. */
export const unsubscribeMark = 'https://unsubscribe.invalid/'

/** Stands in a web version for its own address. */
export const webVersionMark = 'https://web-version.invalid/'

/** Events that are fetched at once. */
export const eventsAtOnce = 1000
