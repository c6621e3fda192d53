import { type BrowserWindow, type Rectangle, screen } from 'electron'
import { storeShellState, readKept } from './kept.ts'

const proposed = { width: 1360, height: 860 }

/**
 * Returns the window's last place with the current displays: a laptop has another one at the desk than on the
 * road.
 */
export function windowPlace(): { bounds: Partial<Rectangle>; isMaximized: boolean } {
  const kept = readKept().windows?.[displays()]
  if (!kept) return { bounds: proposed, isMaximized: false }
  const { isMaximized, ...bounds } = kept
  return { bounds: isVisible(bounds) ? bounds : proposed, isMaximized }
}

/** Remembers it when the window is closed. */
export function storeWindowPlace(window: BrowserWindow): void {
  window.on('close', () => {
    // For a maximized window these are the bounds to which it is restored.
    const place = { ...window.getNormalBounds(), isMaximized: window.isMaximized() }
    storeShellState({ windows: { ...readKept().windows, [displays()]: place } })
  })
}

function displays(): string {
  return screen
    .getAllDisplays()
    .map(({ bounds: { x, y, width, height } }) => [x, y, width, height].join(' '))
    .sort()
    .join(', ')
}

/** True if enough of the window is on a display to drag it. */
function isVisible({ x, y, width }: Rectangle): boolean {
  return screen
    .getAllDisplays()
    .some(
      ({ workArea }) =>
        x + width > workArea.x + 100 &&
        x < workArea.x + workArea.width - 100 &&
        y >= workArea.y - 20 &&
        y < workArea.y + workArea.height - 50
    )
}
