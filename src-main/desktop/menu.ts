import { windowPages } from '../base/window-pages.ts'
import { app, dialog, Menu, type MenuItemConstructorOptions, shell } from 'electron'
import type { Application } from '../app.ts'
import { copyDiagnostics } from './diagnostics.ts'
import { isOpenedAtLogin, mayOpenAtLogin, openAtLogin } from './login.ts'
import { logDirectory } from './logs.ts'
import { checksSpelling, chooseSpelling, needsDictionary } from './spelling.ts'
import { explainInSystemLanguage, texts } from './texts.ts'
import {
  askForUpdates,
  looksForUpdates,
  checkForUpdatesDaily,
  setBetaVersions,
  takesBetaVersions
} from './updates.ts'
import { showPage } from './window.ts'

/** The product's own commands, and the platform's: without those macOS has no shortcuts for copy and paste. */
export function setApplicationMenu(application: Application): void {
  const text = texts()
  const isMac = process.platform === 'darwin'
  const settings: MenuItemConstructorOptions[] = [
    page(text.settings, windowPages.settings, 'CmdOrCtrl+,'),
    ...(mayOpenAtLogin()
      ? [
          {
            label: text.opensAtLogin,
            type: 'checkbox' as const,
            checked: isOpenedAtLogin(),
            click: ({ checked }: { checked: boolean }) => openAtLogin(checked)
          }
        ]
      : []),
    ...(needsDictionary
      ? [
          {
            label: text.checksSpelling,
            type: 'checkbox' as const,
            checked: checksSpelling(),
            // The system ticks the box at once, even if the user then cancels.
            click: ({ checked }: { checked: boolean }) =>
              void chooseSpelling(checked).then(
                () => setApplicationMenu(application),
                (error: unknown) => dialog.showErrorBox(text.checksSpelling, explainInSystemLanguage(error))
              )
          }
        ]
      : [])
  ]
  const menus: MenuItemConstructorOptions[] = [
    ...(isMac
      ? [
          {
            role: 'appMenu' as const,
            submenu: [
              page(text.about, windowPages.about),
              { type: 'separator' as const },
              ...settings,
              { type: 'separator' as const },
              { role: 'hide' as const },
              { role: 'hideOthers' as const },
              { role: 'unhide' as const },
              { type: 'separator' as const },
              { role: 'quit' as const }
            ]
          }
        ]
      : []),
    {
      label: text.file,
      submenu: [
        page(text.newList, windowPages.newList, 'CmdOrCtrl+N'),
        { label: text.importFile, accelerator: 'CmdOrCtrl+O', click: () => void chooseFile(application) },
        { type: 'separator' },
        ...(isMac ? [] : [...settings, { type: 'separator' as const }]),
        isMac ? { role: 'close' } : { role: 'quit' }
      ]
    },
    { role: 'editMenu' },
    {
      label: text.go,
      submenu: [
        page(text.home, '/', 'CmdOrCtrl+1'),
        page(text.lists, windowPages.lists, 'CmdOrCtrl+2'),
        page(text.campaigns, windowPages.campaigns, 'CmdOrCtrl+3'),
        page(text.imports, windowPages.imports, 'CmdOrCtrl+4'),
        page(text.jobs, windowPages.jobs, 'CmdOrCtrl+5')
      ]
    },
    {
      label: text.view,
      submenu: [
        { role: 'reload' },
        { type: 'separator' },
        { role: 'resetZoom' },
        { role: 'zoomIn' },
        { role: 'zoomOut' },
        { type: 'separator' },
        { role: 'togglefullscreen' }
      ]
    },
    { role: 'windowMenu' },
    {
      role: 'help',
      label: text.help,
      submenu: [
        page(text.helpPages, windowPages.help),
        page(text.apiReference, '/docs/'),
        { type: 'separator' },
        { label: text.showLogs, click: () => void shell.openPath(logDirectory()) },
        { label: text.copyDiagnostics, click: () => void copyDiagnostics(application) },
        { type: 'separator' },
        { label: text.checkForUpdates, click: () => void askForUpdates(application) },
        {
          label: text.looksForUpdates,
          type: 'checkbox',
          checked: looksForUpdates(),
          click: ({ checked }) => checkForUpdatesDaily(application, checked)
        },
        {
          label: text.takesBetaVersions,
          type: 'checkbox',
          checked: takesBetaVersions(),
          click: ({ checked }) => setBetaVersions(application, checked)
        },
        ...(isMac ? [] : [{ type: 'separator' as const }, page(text.about, windowPages.about)])
      ]
    }
  ]
  Menu.setApplicationMenu(Menu.buildFromTemplate(menus))
}

function page(label: string, path: string, accelerator?: string): MenuItemConstructorOptions {
  return { label, ...(accelerator !== undefined && { accelerator }), click: () => showPage(path) }
}

async function chooseFile(application: Application): Promise<void> {
  const { filePaths } = await dialog.showOpenDialog({
    properties: ['openFile'],
    filters: [
      { name: texts().subscriberFiles, extensions: ['csv', 'tsv', 'txt', 'zip', 'gz'] },
      { name: '*', extensions: ['*'] }
    ]
  })
  const [chosen] = filePaths
  if (chosen === undefined) return
  app.addRecentDocument(chosen)
  try {
    showPage(await application.pageFor(chosen))
  } catch (error) {
    dialog.showErrorBox(texts().cannotOpen, explainInSystemLanguage(error))
  }
}
