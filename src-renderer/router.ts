import { type ListTab, windowPages } from '../src-main/base/window-pages.ts'
import { createRouter, createWebHistory, type RouteLocationNormalized } from 'vue-router'

/** The numbers of a path, such as the id in /lists/7, as properties of the page. */
function ids({ params }: RouteLocationNormalized): Record<string, number> {
  return Object.fromEntries(Object.entries(params).map(([name, value]) => [name, Number(value)]))
}

export const router = createRouter({
  history: createWebHistory(),
  routes: [
    { path: '/', component: () => import('./pages/HomePage.vue') },
    { path: windowPages.lists, component: () => import('./pages/ListsPage.vue') },
    {
      path: windowPages.list(':listId(\\d+)'),
      component: () => import('./pages/ListPage.vue'),
      props: ids,
      children: [
        { path: '', name: 'list', component: () => import('./pages/list/SubscribersTab.vue'), props: ids },
        {
          path: 'campaigns' satisfies ListTab,
          name: 'list-campaigns',
          component: () => import('./pages/list/CampaignsTab.vue'),
          props: ids
        },
        {
          path: 'query' satisfies ListTab,
          name: 'list-query',
          component: () => import('./pages/list/QueryTab.vue'),
          props: ids
        },
        {
          path: 'bulk-actions' satisfies ListTab,
          component: () => import('./pages/list/BulkActionsTab.vue'),
          props: ids
        },
        {
          path: 'hygiene' satisfies ListTab,
          component: () => import('./pages/list/HygieneTab.vue'),
          props: ids
        },
        {
          path: 'exports' satisfies ListTab,
          component: () => import('./pages/list/ExportsTab.vue'),
          props: ids
        },
        {
          path: 'autoresponders' satisfies ListTab,
          component: () => import('./pages/list/AutorespondersTab.vue'),
          props: ids
        },
        {
          path: 'templates' satisfies ListTab,
          name: 'list-templates',
          component: () => import('./pages/list/TemplatesTab.vue'),
          props: ids
        },
        {
          path: 'segments' satisfies ListTab,
          component: () => import('./pages/list/SegmentsTab.vue'),
          props: ids
        },
        { path: 'forms' satisfies ListTab, component: () => import('./pages/list/FormsTab.vue'), props: ids },
        {
          path: 'fields' satisfies ListTab,
          name: 'list-fields',
          component: () => import('./pages/list/CustomFieldsTab.vue'),
          props: ids
        },
        {
          path: 'imports' satisfies ListTab,
          name: 'list-imports',
          component: () => import('./pages/list/ImportsTab.vue'),
          props: ids
        },
        {
          path: 'settings' satisfies ListTab,
          name: 'list-settings',
          component: () => import('./pages/list/SettingsTab.vue'),
          props: ids
        }
      ]
    },
    {
      path: windowPages.subscriber(':listId(\\d+)', ':subscriberId(\\d+)'),
      component: () => import('./pages/SubscriberPage.vue'),
      props: ids
    },
    {
      path: windowPages.importIntoList(':listId(\\d+)'),
      component: () => import('./pages/ImportWizardPage.vue'),
      props: ids
    },
    {
      path: windowPages.template(':listId(\\d+)', ':templateId(\\d+)'),
      component: () => import('./pages/TemplatePage.vue'),
      props: ids
    },
    {
      path: windowPages.newTemplate(':listId(\\d+)'),
      component: () => import('./pages/TemplatePage.vue'),
      props: ids
    },
    {
      path: windowPages.campaign(':listId(\\d+)', ':campaignId(\\d+)'),
      component: () => import('./pages/CampaignPage.vue'),
      props: ids
    },
    {
      path: windowPages.newCampaign(':listId(\\d+)'),
      component: () => import('./pages/CampaignPage.vue'),
      props: ids
    },
    {
      path: windowPages.autoresponder(':listId(\\d+)', ':autoresponderId(\\d+)'),
      component: () => import('./pages/AutoresponderPage.vue'),
      props: ids
    },
    {
      path: windowPages.newAutoresponder(':listId(\\d+)'),
      component: () => import('./pages/AutoresponderPage.vue'),
      props: ids
    },
    { path: windowPages.campaigns, component: () => import('./pages/CampaignsPage.vue') },
    { path: windowPages.importFile, component: () => import('./pages/ImportFilePage.vue') },
    { path: windowPages.imports, component: () => import('./pages/ImportsPage.vue') },
    {
      path: windowPages.import(':importId(\\d+)'),
      component: () => import('./pages/ImportPage.vue'),
      props: ids
    },
    { path: windowPages.jobs, component: () => import('./pages/JobsPage.vue') },
    { path: windowPages.suppressionLists, component: () => import('./pages/SuppressionListsPage.vue') },
    {
      path: windowPages.suppressionList(':suppressionListId(\\d+)'),
      component: () => import('./pages/SuppressionListPage.vue'),
      props: ids
    },
    { path: windowPages.bounces, component: () => import('./pages/BouncesPage.vue') },
    { path: windowPages.events, component: () => import('./pages/EventsPage.vue') },
    {
      path: windowPages.webhook(':webhookId(\\d+)'),
      component: () => import('./pages/WebhookPage.vue'),
      props: ids
    },
    { path: windowPages.sync, component: () => import('./pages/SyncPage.vue') },
    {
      path: windowPages.remote(':remoteId(\\d+)'),
      component: () => import('./pages/RemotePage.vue'),
      props: ids
    },
    { path: windowPages.audit, component: () => import('./pages/AuditPage.vue') },
    { path: windowPages.backups, component: () => import('./pages/BackupsPage.vue') },
    { path: windowPages.delivery, component: () => import('./pages/DeliveryPage.vue') },
    { path: windowPages.apiAccess, component: () => import('./pages/ApiAccessPage.vue') },
    { path: windowPages.users, component: () => import('./pages/UsersPage.vue') },
    { path: windowPages.organizations, component: () => import('./pages/OrganizationsPage.vue') },
    { path: windowPages.windows, component: () => import('./pages/WindowsPage.vue') },
    { path: windowPages.help, component: () => import('./pages/HelpPage.vue') },
    { path: windowPages.helpPage(':name'), component: () => import('./pages/HelpPage.vue'), props: true },
    { path: windowPages.about, component: () => import('./pages/AboutPage.vue') },
    { path: windowPages.settings, component: () => import('./pages/SettingsPage.vue') },
    { path: '/:rest(.*)*', component: () => import('./pages/NotFoundPage.vue') }
  ]
})

// A sign-in link contains the page to continue with. Its token is kept out of the address and the history.
router.beforeEach(({ path, query: { page, sign_in: token } }) => {
  if (path !== '/' || (page === undefined && token === undefined)) return true
  const next = typeof page === 'string' && page.startsWith('/') ? page : '/'
  return { ...router.resolve(next), replace: true }
})
