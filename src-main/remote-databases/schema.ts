/** The kinds of databases: PostgreSQL and what speaks its protocol, MySQL and MariaDB, a SQLite file. */
export const databaseEngines = ['postgresql', 'mysql', 'sqlite'] as const
export type DatabaseEngine = (typeof databaseEngines)[number]

/** Whether the server's certificate is verified; `none` is not encrypted. */
export const tlsModes = ['verified', 'unverified', 'none'] as const
export type TlsMode = (typeof tlsModes)[number]
