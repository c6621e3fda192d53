import { sessionHeaders } from './client.ts'

interface EventListeners {
  onOpen: () => void
  onData: (data: string) => void
  /** Called once: the connection was refused, broke or was ended. */
  onEnd: () => void
}

/** Reads server-sent events with one line of data each. EventSource cannot send the session's header. */
export async function readEvents(address: string, { onOpen, onData, onEnd }: EventListeners): Promise<void> {
  try {
    const response = await fetch(address, {
      credentials: 'omit',
      cache: 'no-store',
      headers: sessionHeaders()
    })
    if (response.ok && response.body) {
      onOpen()
      let unread = ''
      // Not every browser can iterate over a stream.
      const reader = response.body.pipeThrough(new TextDecoderStream()).getReader()
      for (let next = await reader.read(); !next.done; next = await reader.read()) {
        const lines = (unread + next.value).split('\n')
        unread = lines.pop() ?? ''
        for (const line of lines) if (line.startsWith('data: ')) onData(line.slice('data: '.length))
      }
    }
  } catch (error) {
    // The connection broke, or the user leaves the page.
    if (!(error instanceof TypeError || error instanceof DOMException)) throw error
  } finally {
    onEnd()
  }
}
