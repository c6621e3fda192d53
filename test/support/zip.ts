import { crc32, deflateRawSync } from 'node:zlib'

/**
 * A zip archive of these files.
 * @param claimedSize what it says that each of them has, which is deflated then; without it they are stored as they are
 */
export function zipOf(files: Record<string, string | Buffer>, claimedSize?: number): Buffer {
  const parts: Buffer[] = []
  const directory: Buffer[] = []
  let offset = 0
  for (const [name, given] of Object.entries(files)) {
    const text = Buffer.from(given)
    const nameBytes = Buffer.from(name)
    const content = claimedSize === undefined ? text : deflateRawSync(text)
    const facts = Buffer.alloc(26)
    facts.writeUInt16LE(20, 0)
    facts.writeUInt16LE(claimedSize === undefined ? 0 : 8, 4)
    facts.writeUInt32LE(crc32(text), 10)
    facts.writeUInt32LE(content.length, 14)
    facts.writeUInt32LE(claimedSize ?? content.length, 18)
    facts.writeUInt16LE(nameBytes.length, 22)
    const place = Buffer.alloc(14)
    place.writeUInt32LE(offset, 10)
    directory.push(Buffer.from('PK\x01\x02\x14\x00', 'latin1'), facts, place, nameBytes)
    const local = Buffer.concat([Buffer.from('PK\x03\x04', 'latin1'), facts, nameBytes, content])
    parts.push(local)
    offset += local.length
  }
  const central = Buffer.concat(directory)
  const end = Buffer.alloc(22)
  end.write('PK\x05\x06', 'latin1')
  end.writeUInt16LE(Object.keys(files).length, 8)
  end.writeUInt16LE(Object.keys(files).length, 10)
  end.writeUInt32LE(central.length, 12)
  end.writeUInt32LE(offset, 16)
  return Buffer.concat([...parts, central, end])
}
