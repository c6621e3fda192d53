import { type Static, Type } from 'typebox'
import { Nullable } from '../http/schema.ts'

export const backupSchedules = ['off', 'hourly', 'daily', 'weekly'] as const
export type BackupSchedule = (typeof backupSchedules)[number]

/** The configuration directives: they hold for the whole installation. */
export const Settings = Type.Object({
  /** Refuses to delete single subscribers (docs/api.md, "Subscribers"). */
  service_disable_subscriber_deletion: Type.Boolean(),
  /** Seconds for which a user is locked out after failed passwords; 0 locks nobody out (docs/api.md, "Users"). */
  service_user_login_lockout_duration: Type.Integer({ minimum: 0, maximum: 86_400 }),
  /** The version of the terms that users must have agreed to; null turns the terms feature off (docs/api.md, "Users"). */
  service_terms_and_conditions_version: Nullable(Type.Integer({ minimum: 0, maximum: 1_000_000 })),
  /** Whether users agree once more when the version of the terms is higher than the one they agreed to. */
  service_terms_and_conditions_require_on_updates: Type.Boolean(),
  /** What users agree to. */
  service_terms_and_conditions_text: Type.String({ maxLength: 200_000 }),
  /** Lets imports download files from this computer and from private networks. */
  service_url_imports_allow_private_addresses: Type.Boolean(),
  /** How often a backup is made by itself, while the application runs and where something changed. */
  service_backups: Type.Enum([...backupSchedules]),
  /** Days for which the change log keeps what was changed, and with it the audit log and the histories of subscribers. */
  service_history_days: Type.Integer({ minimum: 7, maximum: 3650 })
})
export type Settings = Static<typeof Settings>

export const SettingsChanges = Type.Partial(Settings)
export type SettingsChanges = Static<typeof SettingsChanges>

export const defaultSettings: Settings = {
  service_disable_subscriber_deletion: false,
  service_user_login_lockout_duration: 15 * 60,
  service_terms_and_conditions_version: null,
  service_terms_and_conditions_require_on_updates: false,
  service_terms_and_conditions_text: '',
  service_url_imports_allow_private_addresses: false,
  service_backups: 'daily',
  service_history_days: 90
}
