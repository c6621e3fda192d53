import { existsSync } from 'node:fs'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { unpackFile } from '../../src-main/contact-files/formats/unpack.ts'
import { temporaryDirectory } from '../support/application.ts'
import { zipOf } from '../support/zip.ts'

const csv = 'a@example.com\nb@example.com\n'
const never = new AbortController().signal

/**
 * Unpacks a file with this content.
 * @returns the file to read, and the target
 */
async function unpacked(content: Buffer, signal = never) {
  const directory = await temporaryDirectory()
  const [path, target] = [join(directory, 'file'), join(directory, 'new', 'unpacked')]
  await writeFile(path, content)
  return { path, target, result: unpackFile(path, target, signal) }
}

describe('a file', () => {
  it.each([
    ['', Buffer.alloc(0)],
    ['of one byte', Buffer.from([0x1f])],
    ['of text', Buffer.from(csv)],
    ['that begins nearly like an archive', Buffer.from('PK\x03\x05x')]
  ])('that is not compressed is read where it is: %s', async (_what, content) => {
    const { path, target, result } = await unpacked(content)
    expect(await result).toBe(path)
    expect(existsSync(target)).toBe(false)
  })

  it.each([
    ['gzip', gzipSync(csv)],
    ['zip', zipOf({ 'people.csv': csv })],
    ['zip with folders and what a Mac adds', zipOf({ 'people/': '', '__MACOSX/a': 'x', 'people/a.csv': csv })]
  ])('that is compressed is unpacked beside it: %s', async (_what, content) => {
    const { target, result } = await unpacked(content)
    expect(await result).toBe(target)
    expect(await readFile(target, 'utf8')).toBe(csv)
  })
})

/** A zip archive whose directory is broken from its second entry on. */
function withBrokenDirectory(): Buffer {
  const bytes = zipOf({ 'a/': '', 'people.csv': csv })
  bytes.write('XX', bytes.lastIndexOf('PK\x01\x02'), 'latin1')
  return bytes
}

describe('an archive', () => {
  it.each([
    [
      'two files',
      zipOf({ 'a.csv': csv, 'b.csv': csv }),
      'the zip archive holds 2 files, and an import needs exactly one'
    ],
    ['no file', zipOf({ 'a/': '' }), 'the zip archive holds 0 files, and an import needs exactly one'],
    [
      'a thousand files',
      zipOf(Object.fromEntries(Array.from({ length: 1000 }, (_, index) => [`${index}.csv`, '']))),
      'the zip archive holds 1000 or more files, and an import needs exactly one'
    ],
    [
      'nearly a thousand files',
      zipOf(Object.fromEntries(Array.from({ length: 999 }, (_, index) => [`${index}.csv`, '']))),
      'the zip archive holds 999 files, and an import needs exactly one'
    ],
    [
      'a spreadsheet',
      zipOf({ '[Content_Types].xml': '', 'a.xml': '' }),
      'this is a spreadsheet, not a CSV file. In the spreadsheet, save it as CSV'
    ],
    [
      'half of itself',
      zipOf({ 'a.csv': csv }).subarray(0, 30),
      'this is a spreadsheet or a broken zip archive, not a CSV file. If it is a spreadsheet, save it as CSV'
    ],
    ['a broken directory', withBrokenDirectory(), /^the compressed file cannot be unpacked: /],
    [
      'half of a file',
      gzipSync(csv.repeat(100)).subarray(0, 30),
      /^the compressed file cannot be unpacked: /
    ],
    ['less than it says', zipOf({ 'a.csv': csv }, 3), /^the compressed file cannot be unpacked: /]
  ])('with %s is refused in a sentence, and leaves nothing', async (_what, content, sentence) => {
    const { target, result } = await unpacked(content)
    await expect(result).rejects.toThrow(sentence)
    expect(existsSync(target)).toBe(false)
  })

  it('of an import that was stopped leaves nothing', async () => {
    const { target, result } = await unpacked(gzipSync(csv), AbortSignal.abort())
    await expect(result).rejects.toThrow()
    expect(existsSync(target)).toBe(false)
  })
})
