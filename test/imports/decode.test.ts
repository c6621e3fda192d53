import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { decodeBeginning, decodeFile } from '../../src-main/csv/decode.ts'
import { temporaryDirectory } from '../support/application.ts'

/** The bytes that are read at once. */
const chunk = 256 * 1024

async function decoded(bytes: Buffer, characterSet: string): Promise<string> {
  const path = join(await temporaryDirectory(), 'list.csv')
  await writeFile(path, bytes)
  let text = ''
  for await (const part of decodeFile(path, characterSet)) text += part
  return text
}

it.each(['é', '€', '😀'])('a %s that is cut by the end of a chunk is read whole', async (character) => {
  for (let before = chunk - 5; before <= chunk; before++) {
    const text = `${'a'.repeat(before)}${character}b`
    expect(await decoded(Buffer.from(text), 'utf-8')).toBe(text)
  }
})

it.each([
  [[0xc3], 1],
  [[0x61, 0x0a, 0x62, 0x0a, 0xff], 3],
  [[0x61, 0x0a, 0xe2, 0x82], 2],
  [[0x0a, 0x80, 0x0a], 2],
  [[0xc3, 0xa9, 0x0a, 0xc3, 0x28], 2]
])('bytes that are not UTF-8 (%j) are refused with their line', async (bytes, line) => {
  await expect(decoded(Buffer.from(bytes), 'UTF-8')).rejects.toThrow(
    `Line ${line}: the file is not valid UTF-8. Choose ISO-8859-1 if it comes from an older program`
  )
})

it('the line of a fault is counted over all chunks', async () => {
  const lines = Buffer.from('abcdefg\n'.repeat(chunk / 4))
  const after = (rest: Buffer): Promise<string> => decoded(Buffer.concat([lines, rest]), 'UTF-8')
  await expect(after(Buffer.from([0xff, 10]))).rejects.toThrow(`Line ${chunk / 4 + 1}: `)
  await expect(after(Buffer.from('a\nb\0'))).rejects.toThrow(
    `Line ${chunk / 4 + 2}: the file contains a NUL byte`
  )
  await expect(decoded(Buffer.from('\0'), 'ISO-8859-1')).rejects.toThrow(
    'Line 1: the file contains a NUL byte'
  )
})

it('a byte order mark is removed only at the beginning of the file', async () => {
  expect(await decoded(Buffer.from('\ufeffemail\ufeff'), 'UTF-8')).toBe('email\ufeff')
  const long = 'a'.repeat(chunk)
  expect(await decoded(Buffer.from(`${long}\ufeffb`), 'UTF-8')).toBe(`${long}\ufeffb`)
})

it('ISO-8859-1 is read byte by byte, and its control range as Windows-1252', async () => {
  expect(await decoded(Buffer.from([0x4d, 0xfc, 0x6c]), 'iso-8859-1')).toBe('Mül')
  expect(await decoded(Buffer.from([0x80, 0x20, 0x9f]), 'ISO-8859-1')).toBe('€ Ÿ')
  expect(await decoded(Buffer.from([0x7f, 0xa0]), 'ISO-8859-1')).toBe('\x7f\xa0')
})

it.each([
  ['PK\x03\x04', /spreadsheet or a zip archive/],
  ['%PDF', /PDF document/],
  ['\xd0\xcf\x11\xe0', /old spreadsheet/],
  ['\xff\xfea\0', /UTF-16/],
  ['\xfe\xff\0a', /UTF-16/]
])('a file that begins with %j is refused by its type', async (beginning, explanation) => {
  const bytes = Buffer.from(beginning, 'latin1')
  await expect(decoded(bytes, 'UTF-8')).rejects.toThrow(explanation)
  await expect(decodeBeginning(bytes, '', 'UTF-8')).rejects.toThrow(explanation)
})

it('the beginning of a file ends with a whole character', async () => {
  const text = Buffer.from('\ufeffaé😀')
  expect(await decodeBeginning(text.subarray(0, -1), '', 'UTF-8')).toBe('aé')
  expect(await decodeBeginning(text.subarray(0, -3), '', 'UTF-8')).toBe('aé')
  expect(await decodeBeginning(text.subarray(0, -4), '', 'UTF-8')).toBe('aé')
  expect(await decodeBeginning(text.subarray(0, -5), '', 'UTF-8')).toBe('a')
  expect(await decodeBeginning(text, '', 'UTF-8')).toBe('aé😀')
  expect(await decodeBeginning(Buffer.from([0x61, 0xc3]), '', 'ISO-8859-1')).toBe('aÃ')
})
