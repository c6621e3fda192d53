import { Resvg } from '@resvg/resvg-js'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

// Every size and format of the icon, from resources/icon.svg.

/** Widths in pixels that desktops look for. */
export const linuxSizes = [16, 24, 32, 48, 64, 128, 256, 512]
const windowsSizes = [16, 24, 32, 48, 64, 128, 256]
const macKinds: Record<string, number> = {
  icp4: 16,
  icp5: 32,
  icp6: 64,
  ic07: 128,
  ic08: 256,
  ic09: 512,
  ic10: 1024,
  ic11: 32,
  ic12: 64,
  ic13: 256,
  ic14: 512
}

/** Writes SIZExSIZE.png, icon.png (1024), icon.ico and icon.icns into a directory. */
export function writeIcons(directory: string): void {
  mkdirSync(directory, { recursive: true })
  const svg = readFileSync('resources/icon.svg')
  const pngs = new Map<number, Buffer>()
  const png = (size: number): Buffer => {
    const made = pngs.get(size) ?? new Resvg(svg, { fitTo: { mode: 'width', value: size } }).render().asPng()
    pngs.set(size, made)
    return made
  }
  for (const size of linuxSizes) writeFileSync(join(directory, `${size}x${size}.png`), png(size))
  writeFileSync(join(directory, 'icon.png'), png(1024))
  writeFileSync(join(directory, 'icon.ico'), ico(windowsSizes.map((size) => [size, png(size)])))
  writeFileSync(
    join(directory, 'icon.icns'),
    icns(Object.entries(macKinds).map(([kind, size]) => [kind, png(size)]))
  )
}

/** A Windows icon of PNGs: a header, an entry of 16 bytes for each, and the pictures. */
function ico(pictures: [size: number, png: Buffer][]): Buffer {
  const header = Buffer.alloc(6 + 16 * pictures.length)
  header.writeUInt16LE(1, 2)
  header.writeUInt16LE(pictures.length, 4)
  let offset = header.length
  for (const [index, [size, png]] of pictures.entries()) {
    const at = 6 + 16 * index
    // 256 is written as 0.
    header.writeUInt8(size % 256, at)
    header.writeUInt8(size % 256, at + 1)
    header.writeUInt16LE(1, at + 4)
    header.writeUInt16LE(32, at + 6)
    header.writeUInt32LE(png.length, at + 8)
    header.writeUInt32LE(offset, at + 12)
    offset += png.length
  }
  return Buffer.concat([header, ...pictures.map(([, png]) => png)])
}

/** Returns a macOS icon file. A header with type and length precedes each picture and the whole file. */
function icns(pictures: [kind: string, png: Buffer][]): Buffer {
  const chunk = (kind: string, content: Buffer): Buffer => {
    const head = Buffer.alloc(8)
    head.write(kind, 0, 'latin1')
    head.writeUInt32BE(content.length + 8, 4)
    return Buffer.concat([head, content])
  }
  return chunk('icns', Buffer.concat(pictures.map(([kind, png]) => chunk(kind, png))))
}
