import { app, dialog } from 'electron'
import { statSync } from 'node:fs'
import { resolve } from 'node:path'
import type { Application } from '../app.ts'
import { isLink, linkScheme } from '../opened.ts'
import { isPortable } from './login.ts'
import { explainInSystemLanguage, texts } from './texts.ts'
import { focusWindow, showPage } from './window.ts'

/** Files and links that came before the application was ready. */
const waiting: string[] = []
let open: ((target: string) => void) | undefined

/**
 * Receives the files and links that the system opens with the application: by events on macOS, by the command
 * line elsewhere.
 */
export function receiveOpenedTargets(): void {
  // In a checkout the program is Electron itself, which needs the folder as an argument.
  if (app.isPackaged && !isPortable()) app.setAsDefaultProtocolClient(linkScheme)
  const take = (target: string): void => {
    if (open) open(target)
    else waiting.push(target)
  }
  const takeEvent = (event: { preventDefault: () => void }, target: string): void => {
    event.preventDefault()
    take(target)
  }
  app.on('open-file', takeEvent)
  app.on('open-url', takeEvent)
  app.on('second-instance', (_event, commandLine, workingDirectory) => {
    focusWindow()
    targetsOf(commandLine, workingDirectory).forEach(take)
  })
  waiting.push(...targetsOf(process.argv, process.cwd()))
}

/** The page that the first window shows, and from then on the window leads to whatever is opened. */
export async function pageToBeginWith(application: Application): Promise<string> {
  open = (target) => void pageOf(application, target).then((page) => page && showPage(page))
  const [first, ...others] = waiting.splice(0)
  const page = first === undefined ? null : await pageOf(application, first)
  for (const target of others) open(target)
  return page ?? '/'
}

async function pageOf(application: Application, target: string): Promise<string | null> {
  try {
    return await application.pageFor(target)
  } catch (error) {
    dialog.showErrorBox(texts().cannotOpen, explainInSystemLanguage(error))
    return null
  }
}

/** Returns the links and files of a command line, without the program, its folder and options. */
function targetsOf(commandLine: readonly string[], directory: string): string[] {
  const [, ...given] = commandLine
  return given.flatMap((each) => {
    if (each.startsWith('-')) return []
    if (isLink(each) || each.startsWith('file:')) return [each]
    const path = resolve(directory, each)
    return statSync(path, { throwIfNoEntry: false })?.isFile() ? [path] : []
  })
}
