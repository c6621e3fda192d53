import type {
  FastifyInstance,
  FastifyPluginAsync,
  FastifyReply,
  FastifyRequest,
  HTTPMethods,
  RouteOptions
} from 'fastify'
import type { Static, TSchema } from 'typebox'
import { ApiError } from '../base/errors.ts'
import { checkRun } from '../database/check-run.ts'
import type { ApplicationContext } from './context.ts'
import { JsonText } from './json-text.ts'
import { windowSerializer } from './serialization.ts'
import { wantsRefusals } from './window-request.ts'
import { usablePartOf } from './validation.ts'
import type { Endpoint, EndpointGroup, EndpointName, Endpoints, PartOf } from './endpoint.ts'

/** A request of an endpoint, as its schemas read it. */
export type RequestOf<Of extends Endpoint> = FastifyRequest<{
  Params: PartOf<Of, 'params'>
  Querystring: PartOf<Of, 'query'>
  Body: PartOf<Of, 'body'>
}>

/** Answers one endpoint: with what its schema says, as a value or as JSON; or through `reply` where it has none. */
export type Handler<Of extends Endpoint> = (
  request: RequestOf<Of>,
  reply: FastifyReply
) => Promise<Of['answer'] extends TSchema ? Static<Of['answer']> | JsonText<Static<Of['answer']>> : unknown>

export type Handlers<Of extends Endpoints> = { [Name in keyof Of & EndpointName]: Handler<Of[Name]> }

/** Serves a group of endpoints; the compiler sees to it that none is forgotten. */
export function serveEndpoints<Of extends Endpoints>(
  { tag, endpoints }: EndpointGroup<Of>,
  handlersWith: (context: ApplicationContext) => Handlers<Of>
): FastifyPluginAsync {
  return async (app) => {
    const handlers: Record<EndpointName, unknown> = handlersWith(app.context)
    for (const name of Object.keys(endpoints) as EndpointName[]) {
      app.route(routeOf(name, endpoints[name] as Endpoint, tag, handlers[name] as RouteOptions['handler']))
    }
  }
}

function routeOf(
  name: EndpointName,
  {
    access,
    beforeTerms = false,
    bodyLimit,
    bodyRules,
    joinsFaults = false,
    summary,
    params,
    query,
    body,
    answer
  }: Endpoint,
  tag: string | null,
  handler: RouteOptions['handler']
): RouteOptions {
  const [method, url] = name.split(' ') as [HTTPMethods, string]
  return {
    method,
    url,
    handler: sendingJsonText(joinsFaults ? joiningFaults(handler) : handler),
    ...(joinsFaults && { attachValidation: true }),
    ...(bodyLimit !== undefined && { bodyLimit }),
    config: { access, beforeTerms, ...(bodyRules && { body: bodyRules }) },
    schema: {
      ...(tag === null ? { hide: true } : { tags: [tag] }),
      ...(summary !== undefined && { summary }),
      ...(params && { params }),
      ...(query && { querystring: query }),
      ...(body && { body }),
      ...(answer && { response: { 200: answer } })
    },
    ...(answer && writingForWindow(answer))
  }
}

/** Lets sessions of the window get the properties that only they get. */
function writingForWindow(answer: TSchema): Pick<RouteOptions, 'preSerialization'> {
  const serializer = windowSerializer(answer)
  if (!serializer) return {}
  return {
    preSerialization: async (request, reply, payload) => {
      // A failure is written by the error handler; it has the same status.
      const isSuccess = (payload as { success?: boolean }).success === true
      if (wantsRefusals(request) && isSuccess) reply.serializer(serializer)
      return payload
    }
  }
}

type RouteHandler = RouteOptions['handler']

function sendingJsonText(handler: RouteHandler): RouteHandler {
  return async function (this: FastifyInstance, request: FastifyRequest, reply: FastifyReply) {
    const answer: unknown = await handler.call(this, request, reply)
    if (!(answer instanceof JsonText)) return answer
    void reply.type('application/json; charset=utf-8')
    return answer.text
  }
}

/**
 * Wraps a handler whose body may be refused by its schema: the valid part is also checked by the command,
 * which is rolled back, and all faults are answered together.
 */
function joiningFaults(handler: RouteHandler): RouteHandler {
  return async function (this: FastifyInstance, request: FastifyRequest, reply: FastifyReply) {
    const { validationError: refusal } = request
    if (!refusal) {
      const answer: unknown = await handler.call(this, request, reply)
      return answer
    }
    const usable = usablePartOf(refusal)
    if (usable === undefined || !(refusal instanceof ApiError)) throw refusal
    request.body = usable
    const further = await checkRun.run(true, async () => {
      try {
        await handler.call(this, request, reply)
        return null
      } catch (error) {
        // Other errors of the command follow from the missing value, so they are not reported.
        return error instanceof ApiError && error.code === 'validation_failed' ? error.refusals : null
      }
    })
    throw further === null ? refusal : new ApiError('validation_failed', [...refusal.refusals, ...further])
  }
}
