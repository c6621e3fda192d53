import { Type } from 'typebox'
import { unlistedEndpoints } from '../http/endpoint.ts'

const TokenParams = Type.Object({ token: Type.String({ maxLength: 100 }) })

/** With `preferences` the page asks what the visitor wants instead. */
const UnsubscribeQuery = Type.Object({ preferences: Type.Optional(Type.String()) })
/** The target and its signature, where it holds values of a recipient that are not stored. */
const ClickQuery = Type.Object({ to: Type.Optional(Type.String()), s: Type.Optional(Type.String()) })
/** Bytes of a sign-up. */
const maxSignUpBytes = 64 * 1024

// Anyone who has the message may use its links: the token in the address serves as the key.
const link = { access: 'message_link', params: TokenParams } as const

export const trackingEndpoints = unlistedEndpoints({
  /** A picture of one pixel: the message was opened. */
  'GET /o/:token': link,
  /** A counted link. */
  'GET /c/:link/:token': {
    ...link,
    params: Type.Object({ ...TokenParams.properties, link: Type.Integer({ minimum: 1 }) }),
    query: ClickQuery
  },
  /** A picture of messages, for those that link theirs; its key is in the message as well. */
  'GET /i/:key': { access: 'message_link', params: Type.Object({ key: Type.String({ maxLength: 32 }) }) },
  /** The message as a page. */
  'GET /w/:token': link,
  /** The page of a confirmation message. */
  'GET /s/:token': link,
  'POST /s/:token': link,
  'GET /u/:token': { ...link, query: UnsubscribeQuery },
  'POST /u/:token': { ...link, query: UnsubscribeQuery },
  /** The page of a form. */
  'GET /f/:token': link,
  'POST /f/:token': { ...link, bodyLimit: maxSignUpBytes }
})
