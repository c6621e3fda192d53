import { replacementKey } from '../api/autoresponders/rules.ts'
import { isImportColumn } from '../api/subscriber-imports/rules.ts'

/** Returns a field's code in messages. Fields with the same code cannot be distinguished there. */
export function fieldCode(name: string): string {
  return replacementKey(name.trim())
}

const longestName = 255

/** Returns an unused name for a new field that is not reserved and has a unique code. */
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

/** Returns the fields of a list that share a code with another. */
export function fieldsWithSameCode(names: readonly string[]): string[] {
  const counts = new Map<string, number>()
  for (const name of names) counts.set(fieldCode(name), (counts.get(fieldCode(name)) ?? 0) + 1)
  return names.filter((name) => (counts.get(fieldCode(name)) ?? 0) > 1)
}
