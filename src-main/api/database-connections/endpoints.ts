import { Type } from 'typebox'
import { endpoints } from '../../http/endpoint.ts'
import { envelope } from '../../http/envelope.ts'
import { IdParams, wrapped } from '../../http/schema.ts'
import {
  DatabaseConnection,
  DatabaseConnectionChanges,
  DatabaseConnectionInput,
  DatabaseConnectionTest
} from './schema.ts'

/** Extensions of the API (docs/api.md, "Database connections"). */
export const databaseConnectionEndpoints = endpoints('Database connections', {
  'GET /database_connections': {
    access: 'system_admin',
    summary: 'List the databases that Remote Lists and imports read from',
    answer: envelope(Type.Array(DatabaseConnection))
  },

  'GET /database_connections/:id': {
    access: 'system_admin',
    summary: 'Read a database connection',
    params: IdParams,
    answer: envelope(DatabaseConnection)
  },

  'POST /database_connections': {
    access: 'system_admin',
    summary: 'Add a database connection',
    body: wrapped('database_connection', DatabaseConnectionInput),
    answer: envelope(DatabaseConnection)
  },

  'PUT /database_connections/:id': {
    access: 'system_admin',
    summary: 'Change a database connection',
    params: IdParams,
    body: wrapped('database_connection', DatabaseConnectionChanges),
    answer: envelope(DatabaseConnection)
  },

  'POST /database_connections/:id/test': {
    access: 'system_admin',
    summary: 'Open a database, and find out what it can do; nothing in it changes',
    params: IdParams,
    answer: envelope(DatabaseConnectionTest)
  },

  'DELETE /database_connections/:id': {
    access: 'system_admin',
    summary: 'Remove a database connection; nothing in its database changes',
    params: IdParams,
    answer: envelope(Type.Null())
  }
})
