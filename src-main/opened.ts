import { ExplainedError } from './base/errors.ts'
import { refusal } from './base/refusal.ts'
import { windowPages } from './base/window-pages.ts'
import { constants } from 'node:fs'
import { copyFile, stat } from 'node:fs/promises'
import { basename, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { UploadDirectory } from './imports/store-upload.ts'

// What the system has the application open: a file to import, or a link to one of its pages.

/** Links such as listwright://lists/7 lead to pages of the window. */
export const linkScheme = 'listwright'

/** Pages that links may lead to: they show something, and change nothing. */
const linkedPages = /^\/(?:lists|campaigns|imports|jobs|suppression|sync)(?:\/\d+(?:\/[a-z-]+(?:\/\d+)?)?)?$/

/** True for a link, false for a file. */
export function isLink(target: string): boolean {
  return target.toLowerCase().startsWith(`${linkScheme}:`)
}

/** The page that a link leads to: the first one where it leads to none. */
function pageOfLink(link: string): string {
  const path = `/${link.slice(linkScheme.length + 1).replace(/^\/+|\/+$/g, '')}`
  return linkedPages.test(path) ? path : '/'
}

/**
 * The page of the window that shows what the system has the application open.
 * @param take puts a copy of a file into the upload directory, and answers its name there
 */
export async function pageOfTarget(target: string, take: (path: string) => Promise<string>): Promise<string> {
  return isLink(target) ? pageOfLink(target) : importPage(await take(target))
}

/** The page on which a file of the upload directory is imported. */
function importPage(filename: string): string {
  return `${windowPages.importFile}?file=${encodeURIComponent(filename)}`
}

/**
 * @param file a path, or a file: URL as desktops pass it
 * @throws Error with a sentence for the user where it is no file
 */
export async function requireFile(file: string): Promise<string> {
  const absolute = /^file:/i.test(file) ? pathOfUrl(file) : resolve(file)
  const found = await stat(absolute).catch(() => null)
  if (!found) throw new ExplainedError(refusal('no_readable_file', { path: absolute }))
  if (!found.isFile()) throw new ExplainedError(refusal('no_importable_file', { path: absolute }))
  return absolute
}

function pathOfUrl(url: string): string {
  try {
    return fileURLToPath(url)
  } catch {
    throw new ExplainedError(refusal('no_local_address', { url }))
  }
}

/** Copies a file into the upload directory, so that whatever becomes of it does not change the import. @returns its name there */
export async function acceptFile(path: string, uploads: UploadDirectory): Promise<string> {
  const source = await requireFile(path)
  const { storeUpload } = await import('./imports/store-upload.ts')
  return storeUpload(uploads, basename(source), (copy) => copyFile(source, copy, constants.COPYFILE_FICLONE))
}
