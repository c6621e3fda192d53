import type { FastifyPluginAsync, FastifyReply, FastifyRequest, HTTPMethods, RouteOptions } from 'fastify'
import type { Static, TSchema } from 'typebox'
import type { ApplicationContext } from './context.ts'
import type { Endpoint, EndpointGroup, EndpointName, Endpoints, PartOf } from './endpoint.ts'

/** A request of an endpoint, as its schemas read it. */
export type RequestOf<Of extends Endpoint> = FastifyRequest<{
  Params: PartOf<Of, 'params'>
  Querystring: PartOf<Of, 'query'>
  Body: PartOf<Of, 'body'>
}>

/** Answers one endpoint: with what its schema says, or through `reply` where it has none. */
export type Handler<Of extends Endpoint> = (
  request: RequestOf<Of>,
  reply: FastifyReply
) => Promise<Of['answer'] extends TSchema ? Static<Of['answer']> : unknown>

/** A handler for each endpoint of a group. */
export type Handlers<Of extends Endpoints> = { [Name in keyof Of & EndpointName]: Handler<Of[Name]> }

/** Serves a group of endpoints; the compiler sees to it that none is forgotten. */
export function serve<Of extends Endpoints>(
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
  { access, beforeTerms = false, bodyLimit, bodyRules, summary, params, query, body, answer }: Endpoint,
  tag: string | null,
  handler: RouteOptions['handler']
): RouteOptions {
  const [method, url] = name.split(' ') as [HTTPMethods, string]
  return {
    method,
    url,
    handler,
    ...(bodyLimit !== undefined && { bodyLimit }),
    config: { access, beforeTerms, ...(bodyRules && { body: bodyRules }) },
    schema: {
      ...(tag === null ? { hide: true } : { tags: [tag] }),
      ...(summary !== undefined && { summary }),
      ...(params && { params }),
      ...(query && { querystring: query }),
      ...(body && { body }),
      ...(answer && { response: { 200: answer } })
    }
  }
}
