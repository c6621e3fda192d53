import { app, dialog } from 'electron'
import { messageOf } from '../base/errors.ts'
import type { Application } from '../app.ts'
import { linkScheme } from '../opened.ts'
import { texts } from './texts.ts'
import { focusWindow, showPage } from './window.ts'

/** Files and links that came before the application was ready. */
const waiting: string[] = []
let open: ((target: string) => void) | undefined

/** Takes in the files and links that the system opens with the application: by events on macOS, by the command line elsewhere. */
export function takeWhatIsOpened(): void {
  // Of a checkout the program is Electron itself, which needs the folder as well.
  if (app.isPackaged) app.setAsDefaultProtocolClient(linkScheme)
  const take = (event: { preventDefault: () => void }, target: string): void => {
    event.preventDefault()
    if (open) open(target)
    else waiting.push(target)
  }
  app.on('open-file', take)
  app.on('open-url', take)
  app.on('second-instance', (_event, commandLine, workingDirectory) => {
    focusWindow()
    for (const target of targetsOf(commandLine, workingDirectory)) open?.(target)
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
    dialog.showErrorBox(texts().cannotOpen, messageOf(error))
    return null
  }
}

/** What of a command line is opened: what is neither the program, nor its folder, nor an option. */
function targetsOf(commandLine: readonly string[], directory: string): string[] {
  const [, ...given] = commandLine
  return given
    .filter((each) => each.startsWith(`${linkScheme}:`) || /\.(?:csv|tsv|txt)$/i.test(each))
    .filter((each) => !each.startsWith('-'))
    .map((each) => (/^(?:[a-z]{2,}:|\/|[a-z]:\\)/i.test(each) ? each : `${directory}/${each}`))
}
