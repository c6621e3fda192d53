import { useEventListener } from '@vueuse/core'
import { downloadAddress } from '../api/session.ts'
import { useToastedTask } from './useTask.ts'

/** The addresses that need a ticket: what the application answers only to a window that is signed in. */
const ofApplication = /^\/(ga|app)\//

/** Makes links download files with a ticket: a browser that follows a link sends no session header. */
export function useDownloads(): void {
  const { run } = useToastedTask()
  // Notices stop the propagation of clicks, so this listener runs in the capture phase.
  useEventListener(document, 'click', follow, { capture: true })

  function follow(event: MouseEvent): void {
    const link =
      event.target instanceof Element ? event.target.closest<HTMLAnchorElement>('a[download]') : null
    if (!link || !ofApplication.test(link.pathname)) return
    event.preventDefault()
    void run(() => download(link.pathname + link.search))
  }
}

/** Downloads a file of the application under the name that the application gives it. @throws ApiFailure */
export async function download(address: string): Promise<void> {
  const link = document.createElement('a')
  link.href = await downloadAddress(address)
  link.download = ''
  // The link is not in the document, so this click does not reach the listener of useDownloads.
  link.click()
}
