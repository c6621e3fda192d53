import { Type } from 'typebox'
import { envelope } from '../../http/envelope.ts'
import { IdParams, wrapped } from '../../http/schema.ts'
import { SeedList, SeedListChanges, SeedListInput } from './schema.ts'
import { endpoints } from '../../http/endpoint.ts'

export const seedListEndpoints = endpoints('Seed lists', {
  'GET /seed_lists': {
    access: 'signed_in',
    summary: 'List the seed lists',
    answer: envelope(Type.Array(SeedList))
  },

  'GET /seed_lists/:id': {
    access: 'signed_in',
    summary: 'Read a seed list',
    params: IdParams,
    answer: envelope(SeedList)
  },

  'POST /seed_lists': {
    joinsFaults: true,
    access: 'seed_list.create',
    summary: 'Create a seed list',
    body: wrapped('seed_list', SeedListInput),
    answer: envelope(SeedList)
  },

  'PUT /seed_lists/:id': {
    joinsFaults: true,
    access: 'seed_list.update',
    summary: 'Change a seed list',
    params: IdParams,
    body: wrapped('seed_list', SeedListChanges),
    answer: envelope(SeedList)
  },

  'DELETE /seed_lists/:id': {
    access: 'seed_list.delete',
    summary: 'Delete a seed list',
    params: IdParams,
    answer: envelope(Type.Null())
  }
})
