/** Names, separated by commas, what a server offers beyond the v2 API; a client that does not know the header misses nothing. */
export const extensionsHeader = 'x-listwright-extensions'

/** GET /subscriber_imports/:id/added_ids */
export const addedIdsExtension = 'added_ids'
