const tables = new Map<string, Map<string, number[]>>()

/** A text in an older character set, which the platform can decode and not encode; letters that it lacks are left out. */
export function encode(text: string, characterSet: string): Uint8Array {
  const table = tableOf(characterSet)
  return Uint8Array.from(
    [...text.normalize(characterSet === 'windows-1258' ? 'NFD' : 'NFC')].flatMap(
      (letter) => table.get(letter) ?? []
    )
  )
}

function tableOf(characterSet: string): Map<string, number[]> {
  const known = tables.get(characterSet)
  if (known) return known
  const decoder = new TextDecoder(characterSet, { fatal: true })
  const table = new Map<string, number[]>()
  const add = (bytes: number[]): void => {
    try {
      const letter = decoder.decode(Uint8Array.from(bytes))
      if ([...letter].length === 1 && !table.has(letter)) table.set(letter, bytes)
    } catch {
      // Not every sequence of bytes is a letter.
    }
  }
  for (let byte = 0; byte < 256; byte++) add([byte])
  if (/shift_jis|euc-|gb18030|big5/.test(characterSet)) {
    for (let lead = 0x81; lead < 0xff; lead++)
      for (let trail = 0x40; trail < 0xff; trail++) add([lead, trail])
  }
  tables.set(characterSet, table)
  return table
}
