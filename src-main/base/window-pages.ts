type Id = number | string

/** The tabs of a list's page, besides its subscribers. */
export type ListTab =
  | 'campaigns'
  | 'query'
  | 'bulk-actions'
  | 'hygiene'
  | 'exports'
  | 'autoresponders'
  | 'templates'
  | 'segments'
  | 'forms'
  | 'fields'
  | 'imports'
  | 'settings'

const list = (listId: Id): string => `/lists/${listId}`

/** The addresses of the window's pages, for links of the window, the server and the desktop shell. */
export const windowPages = {
  home: '/',
  lists: '/lists',
  newList: '/lists?create',
  list,
  listTab: (listId: Id, tab: ListTab): string => `${list(listId)}/${tab}`,
  subscriber: (listId: Id, id: Id): string => `${list(listId)}/subscribers/${id}`,
  importIntoList: (listId: Id): string => `${list(listId)}/import`,
  campaign: (listId: Id, id: Id): string => `${list(listId)}/campaigns/${id}`,
  newCampaign: (listId: Id): string => `${list(listId)}/campaigns/new`,
  template: (listId: Id, id: Id): string => `${list(listId)}/templates/${id}`,
  newTemplate: (listId: Id): string => `${list(listId)}/templates/new`,
  autoresponder: (listId: Id, id: Id): string => `${list(listId)}/autoresponders/${id}`,
  newAutoresponder: (listId: Id): string => `${list(listId)}/autoresponders/new`,
  campaigns: '/campaigns',
  importFile: '/import-file',
  imports: '/imports',
  import: (id: Id): string => `/imports/${id}`,
  jobs: '/jobs',
  bounces: '/bounces',
  events: '/events',
  webhook: (id: Id): string => `/events/webhooks/${id}`,
  suppressionLists: '/suppression',
  suppressionList: (id: Id): string => `/suppression/${id}`,
  sync: '/sync',
  remote: (id: Id): string => `/sync/${id}`,
  audit: '/audit',
  backups: '/backups',
  delivery: '/delivery',
  apiAccess: '/api-access',
  users: '/users',
  organizations: '/organizations',
  windows: '/windows',
  about: '/about',
  help: '/help',
  helpPage: (name: string): string => `/help/${name}`,
  settings: '/settings'
} as const
