import { replacementKey } from '../api/autoresponders/rules.ts'
import { isImportColumn } from '../api/subscriber-imports/rules.ts'

/** A field's code in messages: two fields with the same one cannot be told apart there. */
export function fieldCode(name: string): string {
  return replacementKey(name.trim())
}

const longestName = 255

/** A name for a new field that no other has, that is not reserved, and that has a code of its own. */
export function freeFieldName(wanted: string, taken: Set<string>, codes: Set<string>): string {
  const plain = wanted.replaceAll('%', '').replaceAll(/\s+/g, ' ').trim().slice(0, longestName)
  const name = plain === '' ? 'Column' : plain
  const isFree = (each: string): boolean =>
    !taken.has(each.toLowerCase()) && !codes.has(fieldCode(each)) && each !== '__proto__'
  let free = name
  if (isImportColumn(fieldCode(name)) && !isFree(name)) free = `Contact ${name.toLowerCase()}`
  for (let number = 2; !isFree(free); number++) free = `${name.slice(0, longestName - 5)} ${number}`
  taken.add(free.toLowerCase())
  codes.add(fieldCode(free))
  return free
}

/** The fields of a list of which each has the same code as another one. */
export function fieldsWithSameCode(names: readonly string[]): string[] {
  const counts = new Map<string, number>()
  for (const name of names) counts.set(fieldCode(name), (counts.get(fieldCode(name)) ?? 0) + 1)
  return names.filter((name) => (counts.get(fieldCode(name)) ?? 0) > 1)
}
