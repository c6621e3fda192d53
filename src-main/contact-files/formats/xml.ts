import { refusal } from '../../base/refusal.ts'
import { StringDecoder } from 'node:string_decoder'
import { Parser } from 'saxen'
import { ImportFailure } from '../../csv/failure.ts'
import { entryStream } from './unpack.ts'

interface XmlListener {
  open?: (name: string, attribute: (name: string) => string | undefined) => void
  text?: (text: string) => void
  close?: (name: string) => void
}

/**
 * Reads an XML part of a spreadsheet in pieces.
 * @param goesOn called after each piece; false stops
 * @returns true if it was read to its end; false also if the part is missing
 * @throws ImportFailure for a damaged part
 */
export async function readXmlPart(
  path: string,
  name: string,
  listener: XmlListener,
  goesOn: () => boolean = () => true
): Promise<boolean> {
  const bytes = await entryStream(path, name)
  if (!bytes) return false
  const decoder = new StringDecoder('utf8')
  const parser = parserOf(listener)
  for await (const chunk of bytes as AsyncIterable<Buffer>) {
    parser.write(decoder.write(chunk))
    if (!goesOn()) return false
  }
  parser.write(decoder.end())
  parser.end()
  return true
}

function parserOf({ open, text, close }: XmlListener): Parser {
  const parser = new Parser()
  if (open) {
    parser.on('openTag', (name, attributes, decode) => {
      let parsed: Record<string, string | undefined> | undefined
      open(localName(name), (wanted) => {
        const value = (parsed ??= attributes())[wanted]
        return value === undefined ? undefined : decode(value)
      })
    })
  }
  if (close) parser.on('closeTag', (name) => close(localName(name)))
  if (text) {
    parser.on('text', (value, decode) => text(decode(value)))
    parser.on('cdata', (value) => text(value))
  }
  parser.on('error', (error) => {
    throw new ImportFailure(refusal('spreadsheet_damaged', { fault: error.message }))
  })
  return parser
}

function localName(name: string): string {
  const colon = name.indexOf(':')
  return colon === -1 ? name : name.slice(colon + 1)
}
