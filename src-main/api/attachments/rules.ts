import type { Faults } from '../../base/errors.ts'
import { type Refusal, refusal } from '../../base/refusal.ts'

/**
 * Limit of a message's attachments together, in bytes. Base64 makes 13.7 MB of them, which the large mailbox providers take (20 to 25 MB), and many
 * sending services (10 to 40 MB).
 */
export const maxAttachmentBytes = 10_000_000
export const maxAttachments = 20
export const maxNameLength = 255

/** Types of files that the large mailbox providers refuse, also within archives. */
const refusedExtensions = new Set(
  (
    'ade adp apk appx appxbundle bat cab chm cmd com cpl diagcab diagcfg diagpkg dll dmg ex exe hta img ins iso isp jar ' +
    'jnlp js jse lib lnk mde mjs msc msi msix msixbundle msp mst nsh pif ps1 scr sct shb sys vb vbe vbs vhd vxd wsc wsf wsh xll'
  ).split(' ')
)

/** Checks the name of an attachment (docs/api.md, "Sending"). */
export function checkName(name: string, faults: Faults): void {
  if (/[/\\\p{Cc}\p{Zl}\p{Zp}]/u.test(name) || !name.isWellFormed() || /^\.*$/.test(name.trim())) {
    faults.add(refusal('attachment_name', { field: 'name' }))
  }
  const extension = /\.([^.]+?)[\s.]*$/.exec(name)?.[1]?.toLowerCase()
  if (extension !== undefined && refusedExtensions.has(extension)) {
    faults.add(refusal('attachment_type', { extension }))
  }
}

/** Returns why attachments of so many bytes, with the file of this name, are too large. */
export function tooLarge(name: string, bytes: number): Refusal {
  const toMegabytes = (size: number): number => Math.ceil(size / 1_000_000)
  const [size, most] = [toMegabytes(bytes), toMegabytes(maxAttachmentBytes)]
  return refusal('attachments_too_large', { name, size, most })
}
