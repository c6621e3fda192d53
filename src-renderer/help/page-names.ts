/** The pages of Help in their order: the files of docs/user, in each language. */
export const helpPageNames = [
  'import',
  'subscribers',
  'campaigns',
  'sending',
  'gate',
  'remote-lists',
  'automation',
  'events',
  'sync',
  'backups',
  'users',
  'command-line',
  'install'
] as const
