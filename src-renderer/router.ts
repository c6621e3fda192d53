import { createRouter, createWebHistory, type RouteLocationNormalized } from 'vue-router'

/** The numbers of a path, such as the id in /lists/7, as properties of the page. */
function ids({ params }: RouteLocationNormalized): Record<string, number> {
  return Object.fromEntries(Object.entries(params).map(([name, value]) => [name, Number(value)]))
}

export const router = createRouter({
  history: createWebHistory(),
  routes: [
    { path: '/', component: () => import('./pages/HomePage.vue') },
    { path: '/lists', component: () => import('./pages/ListsPage.vue') },
    {
      path: '/lists/:listId(\\d+)',
      component: () => import('./pages/ListPage.vue'),
      props: ids,
      children: [
        { path: '', name: 'list', component: () => import('./pages/list/SubscribersTab.vue'), props: ids },
        {
          path: 'campaigns',
          name: 'list-campaigns',
          component: () => import('./pages/list/CampaignsTab.vue'),
          props: ids
        },
        {
          path: 'bulk-actions',
          component: () => import('./pages/list/BulkActionsTab.vue'),
          props: ids
        },
        { path: 'hygiene', component: () => import('./pages/list/HygieneTab.vue'), props: ids },
        { path: 'exports', component: () => import('./pages/list/ExportsTab.vue'), props: ids },
        {
          path: 'autoresponders',
          component: () => import('./pages/list/AutorespondersTab.vue'),
          props: ids
        },
        {
          path: 'templates',
          name: 'list-templates',
          component: () => import('./pages/list/TemplatesTab.vue'),
          props: ids
        },
        { path: 'segments', component: () => import('./pages/list/SegmentsTab.vue'), props: ids },
        { path: 'forms', component: () => import('./pages/list/FormsTab.vue'), props: ids },
        {
          path: 'fields',
          name: 'list-fields',
          component: () => import('./pages/list/CustomFieldsTab.vue'),
          props: ids
        },
        {
          path: 'imports',
          name: 'list-imports',
          component: () => import('./pages/list/ImportsTab.vue'),
          props: ids
        },
        {
          path: 'settings',
          name: 'list-settings',
          component: () => import('./pages/list/SettingsTab.vue'),
          props: ids
        }
      ]
    },
    {
      path: '/lists/:listId(\\d+)/subscribers/:subscriberId(\\d+)',
      component: () => import('./pages/SubscriberPage.vue'),
      props: ids
    },
    {
      path: '/lists/:listId(\\d+)/import',
      component: () => import('./pages/ImportWizardPage.vue'),
      props: ids
    },
    {
      path: '/lists/:listId(\\d+)/templates/:templateId(\\d+)',
      component: () => import('./pages/TemplatePage.vue'),
      props: ids
    },
    {
      path: '/lists/:listId(\\d+)/templates/new',
      component: () => import('./pages/TemplatePage.vue'),
      props: ids
    },
    {
      path: '/lists/:listId(\\d+)/campaigns/:campaignId(\\d+)',
      component: () => import('./pages/CampaignPage.vue'),
      props: ids
    },
    {
      path: '/lists/:listId(\\d+)/campaigns/new',
      component: () => import('./pages/CampaignPage.vue'),
      props: ids
    },
    {
      path: '/lists/:listId(\\d+)/autoresponders/:autoresponderId(\\d+)',
      component: () => import('./pages/AutoresponderPage.vue'),
      props: ids
    },
    {
      path: '/lists/:listId(\\d+)/autoresponders/new',
      component: () => import('./pages/AutoresponderPage.vue'),
      props: ids
    },
    { path: '/campaigns', component: () => import('./pages/CampaignsPage.vue') },
    { path: '/import-file', component: () => import('./pages/ImportFilePage.vue') },
    { path: '/imports', component: () => import('./pages/ImportsPage.vue') },
    { path: '/imports/:importId(\\d+)', component: () => import('./pages/ImportPage.vue'), props: ids },
    { path: '/jobs', component: () => import('./pages/JobsPage.vue') },
    { path: '/suppression', component: () => import('./pages/SuppressionListsPage.vue') },
    {
      path: '/suppression/:suppressionListId(\\d+)',
      component: () => import('./pages/SuppressionListPage.vue'),
      props: ids
    },
    { path: '/sync', component: () => import('./pages/SyncPage.vue') },
    { path: '/sync/:remoteId(\\d+)', component: () => import('./pages/RemotePage.vue'), props: ids },
    { path: '/audit', component: () => import('./pages/AuditPage.vue') },
    { path: '/backups', component: () => import('./pages/BackupsPage.vue') },
    { path: '/delivery', component: () => import('./pages/DeliveryPage.vue') },
    { path: '/api-access', component: () => import('./pages/ApiAccessPage.vue') },
    { path: '/users', component: () => import('./pages/UsersPage.vue') },
    { path: '/organizations', component: () => import('./pages/OrganizationsPage.vue') },
    { path: '/windows', component: () => import('./pages/WindowsPage.vue') },
    { path: '/about', component: () => import('./pages/AboutPage.vue') },
    { path: '/settings', component: () => import('./pages/SettingsPage.vue') },
    { path: '/:rest(.*)*', component: () => import('./pages/NotFoundPage.vue') }
  ]
})

// The link that signs a window in names the page to go on with; its token stays neither in the address nor in the history.
router.beforeEach(({ path, query: { page, sign_in: token } }) => {
  if (path !== '/' || (page === undefined && token === undefined)) return true
  const next = typeof page === 'string' && page.startsWith('/') ? page : '/'
  return { ...router.resolve(next), replace: true }
})
