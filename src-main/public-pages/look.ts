import type { Language } from '../base/languages.ts'

/** What the pages about a list show of it. */
export interface PageLook {
  /** '' = not known. */
  list: string
  /** The name of the sender; '' = the list stands alone. */
  sender: string
  /** null = that of the visitor. */
  language: Language | null
  /** #rrggbb; '' = the usual one. */
  color: string
  /** A picture as a data URI; '' = none. */
  logo: string
}

/** Of a page that is about no list. */
export const plainLook: PageLook = { list: '', sender: '', language: null, color: '', logo: '' }

/** Returns the style that gives buttons a color, with text that can be read on it in both themes. */
export function colorStyle(color: string): string {
  if (color === '') return ''
  return `<style>:root{--accent:${color};--on-accent:${readableOn(color)}}</style>`
}

/** Black or white, whichever has the greater contrast (WCAG 2, relative luminance). */
function readableOn(color: string): string {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => {
    const share = Number.parseInt(color.slice(at, at + 2), 16) / 255
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4
  })
  const luminance = 0.2126 * red + 0.7152 * green + 0.0722 * blue
  return (luminance + 0.05) / 0.05 > 1.05 / (luminance + 0.05) ? '#000' : '#fff'
}
