import { Type } from 'typebox'
import { expect, it } from 'vitest'
import { endpoints } from '../../src-main/http/endpoint.ts'

const query = Type.Object({ page: Type.Integer() })

it('an endpoint declared with an unknown key or method does not compile', () => {
  const declared = endpoints('Tests', { 'GET /tests': { access: 'signed_in', query } })
  expect(Object.keys(declared.endpoints)).toEqual(['GET /tests'])
  // @ts-expect-error the query of a request is called query
  endpoints('Tests', { 'GET /tests': { access: 'signed_in', querystring: query } })
  // @ts-expect-error no endpoint has this method
  endpoints('Tests', { 'PATCH /tests': { access: 'signed_in' } })
  // @ts-expect-error who may call it is not said
  endpoints('Tests', { 'GET /tests': { query } })
})
