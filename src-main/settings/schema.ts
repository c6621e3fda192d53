import { type Static, Type } from 'typebox'
import { Nullable } from '../http/schema.ts'

export const backupSchedules = ['off', 'hourly', 'daily', 'weekly'] as const
export type BackupSchedule = (typeof backupSchedules)[number]

/** The configuration directives: they hold for the whole installation. */
export const Settings = Type.Object({
  /** Refuses to delete single subscribers (docs/api.md, "Subscribers"). */
  service_disable_subscriber_deletion: Type.Boolean(),
  /** Seconds of a lockout after wrong passwords; 0 = never (docs/api.md, "Users"). */
  service_user_login_lockout_duration: Type.Integer({ minimum: 0, maximum: 86_400 }),
  /** The version of the terms that users must have agreed to; null turns the terms feature off (docs/api.md, "Users"). */
  service_terms_and_conditions_version: Nullable(Type.Integer({ minimum: 0, maximum: 1_000_000 })),
  /** True if users must agree again when a version of the terms is higher than the one they agreed to. */
  service_terms_and_conditions_require_on_updates: Type.Boolean(),
  service_terms_and_conditions_text: Type.String({ maxLength: 200_000 }),
  /** Allows imports to download files from this computer and private networks. */
  service_url_imports_allow_private_addresses: Type.Boolean(),
  /** The interval of automatic backups, made while the application runs and if something changed. */
  service_backups: Type.Enum([...backupSchedules]),
  /** Days of changes in the change log, and thus in the audit log and the histories of subscribers. */
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
