import { envelope } from '../../http/envelope.ts'
import { Settings, SettingsChanges } from '../../settings/schema.ts'
import { unlistedEndpoints } from '../../http/endpoint.ts'

export const settingsEndpoints = unlistedEndpoints({
  'GET /settings': { access: 'signed_in', answer: envelope(Settings) },

  'PUT /settings': { access: 'system_admin', body: SettingsChanges, answer: envelope(Settings) }
})
