import { validationFailed } from '../../base/errors.ts'
import { refusal } from '../../base/refusal.ts'

/** What every mail program shows. */
export type ImageType = 'image/png' | 'image/jpeg' | 'image/gif'

/** Of one image, in bytes: each recipient gets all of it. */
export const maxImageBytes = 5 * 1024 * 1024

/** What files of each type begin with. */
const signatures: [type: ImageType, bytes: number[]][] = [
  ['image/png', [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]],
  ['image/jpeg', [0xff, 0xd8, 0xff]],
  ['image/gif', [0x47, 0x49, 0x46, 0x38]]
]

/** By what the file holds, whatever it is called. @throws ApiError validation_failed for anything else */
export function imageTypeOf(file: Uint8Array): ImageType {
  const found = signatures.find(([, start]) => start.every((byte, at) => file[at] === byte))
  if (!found) throw validationFailed(refusal('image_type'))
  return found[0]
}

/** How a content names an image of this application: as mail names parts of the message itself (RFC 2392), by its key. */
export const imageScheme = 'cid:'
const reference = /((?:\b(?:src|background)\s*=\s*["']?|url\(\s*["']?))cid:([0-9a-f]{32})\b/gi

/** The keys of the images that a content may show, each once. */
export function imageKeysIn(html: string): string[] {
  return [...new Set([...html.matchAll(reference)].map(([, , key = '']) => key.toLowerCase()))]
}

/** Where an image is fetched, on this server. */
export function imagePath(key: string): string {
  return `/i/${key}`
}

/** Has the images of a content fetched from this application. @param base where its links lead, without a path */
export function linkImages(html: string, base: string): string {
  return html.replaceAll(
    reference,
    (_, before: string, key: string) => before + base + imagePath(key.toLowerCase())
  )
}
