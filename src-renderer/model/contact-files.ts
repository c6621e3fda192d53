import { windowPages } from '../../src-main/base/window-pages.ts'
import { contactExtensions } from '../../src-main/contact-files/extensions.ts'

/**
 * Extensions that the window accepts when dropped: also archives, and files that only get advice on how to
 * save them.
 */
export const takenExtensions = [...contactExtensions, 'xls', 'numbers', 'zip', 'gz']

export function isContactFile(name: string): boolean {
  const extension = name.toLowerCase().split('.').at(-1) ?? ''
  return name.includes('.') && takenExtensions.includes(extension)
}

/** The page on which files of the upload directory are imported, one after the other. @param listId null to be asked */
export function importPath(listId: number | null, files: readonly string[]): string {
  const query = files.map((file) => `file=${encodeURIComponent(file)}`).join('&')
  return `${listId === null ? windowPages.importFile : windowPages.importIntoList(listId)}${query === '' ? '' : `?${query}`}`
}

/** The files that the address of a page names. */
export function filesOf(query: unknown): string[] {
  const all = Array.isArray(query) ? query : [query]
  return all.filter((file): file is string => typeof file === 'string' && file !== '')
}

/** Returns the name of a new list for a file: the file's, without technical parts. */
export function listNameOf(file: string): string {
  const stem = file.replace(/(?:\.[a-z]{2,8}){1,2}$/i, '').replace(/ \(\d+\)$/, '')
  const name = stem.replaceAll(/[_-]+/g, ' ').trim()
  return name === '' ? file : name.charAt(0).toUpperCase() + name.slice(1)
}

const address = /[^\s<>,;"']+@[^\s<>,;"']+\.[^\s<>,;"']+/g
/** A name before an address in brackets, up to the separator before it. */
const named = /(?:"[^"]*"|[^<>,;\n"]*)\s*<[^<>@\s]+@[^<>\s]+>/g

/**
 * Pasted text as a file: cells of a spreadsheet as they are; of the recipients of an email, which stand in one line, each in
 * a line of its own.
 */
export function textFile(text: string): File {
  const lines = text.split(/\r?\n/)
  const isTable = text.includes('\t') || lines.every((line) => (line.match(address) ?? []).length <= 1)
  const content = isTable ? text : lines.flatMap(recipientsIn).join('\n')
  return new File([`${content}\n`], 'pasted.txt', { type: 'text/plain' })
}

function recipientsIn(line: string): string[] {
  const people = (line.match(named) ?? []).map((each) => each.trim())
  const rest = line.replaceAll(named, ' ').match(address) ?? []
  // Enclosed in quotes, since a name may contain a comma.
  return [...people, ...rest].map((each) => `"${each.replaceAll('"', '""')}"`)
}
