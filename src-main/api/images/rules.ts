import { validationFailed } from '../../base/errors.ts'
import { refusal } from '../../base/refusal.ts'

/** The types that every mail program shows. */
export type ImageType = 'image/png' | 'image/jpeg' | 'image/gif'

/** Limit of one image in bytes: each recipient receives all of it. */
export const maxImageBytes = 5 * 1024 * 1024

/** The first bytes of files of each type. */
const signatures: [type: ImageType, bytes: number[]][] = [
  ['image/png', [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]],
  ['image/jpeg', [0xff, 0xd8, 0xff]],
  ['image/gif', [0x47, 0x49, 0x46, 0x38]]
]

/**
 * Detects the type from the content, not the name.
 * @throws ApiError validation_failed for other files
 */
export function imageTypeOf(file: Uint8Array): ImageType {
  const found = signatures.find(([, start]) => start.every((byte, at) => file[at] === byte))
  if (!found) throw validationFailed(refusal('image_type'))
  return found[0]
}

/** Contents refer to images by key as mail refers to parts of a message (RFC 2392). */
export const imageScheme = 'cid:'
const reference = /((?:\b(?:src|background)\s*=\s*["']?|url\(\s*["']?))cid:([0-9a-f]{32})\b/gi

/** Returns the keys of images that a content may show, without duplicates. */
export function imageKeysIn(html: string): string[] {
  return [...new Set([...html.matchAll(reference)].map(([, , key = '']) => key.toLowerCase()))]
}

/** Returns the image's path on this server. */
export function imagePath(key: string): string {
  return `/i/${key}`
}

/**
 * Makes a content load its images from this application.
 * @param base without a path
 */
export function linkImages(html: string, base: string): string {
  return html.replaceAll(
    reference,
    (_, before: string, key: string) => before + base + imagePath(key.toLowerCase())
  )
}
