import { Resvg } from '@resvg/resvg-js'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

// The pictures of the installers, from resources/installer.

/** Writes the pictures of the installer of Windows (sidebar.bmp, header.bmp) and of macOS' disk image (background.png and @2x) into a directory. */
export function writeInstallerArt(directory: string): void {
  mkdirSync(directory, { recursive: true })
  writeFileSync(join(directory, 'sidebar.bmp'), bmp(drawn('sidebar', 164)))
  writeFileSync(join(directory, 'header.bmp'), bmp(drawn('header', 150)))
  writeFileSync(join(directory, 'background.png'), drawn('disk-image', 540).asPng())
  writeFileSync(join(directory, 'background@2x.png'), drawn('disk-image', 1080).asPng())
}

type Picture = ReturnType<Resvg['render']>

function drawn(name: string, width: number): Picture {
  const svg = readFileSync(`resources/installer/${name}.svg`)
  return new Resvg(svg, { fitTo: { mode: 'width', value: width } }).render()
}

/** A picture as installers of Windows read it: 24 bits a pixel, the last row first, each row a multiple of four bytes. */
function bmp({ width, height, pixels }: Picture): Buffer {
  const rowLength = Math.ceil((3 * width) / 4) * 4
  const head = 54
  const file = Buffer.alloc(head + rowLength * height)
  file.write('BM', 0, 'latin1')
  file.writeUInt32LE(file.length, 2)
  file.writeUInt32LE(head, 10)
  file.writeUInt32LE(40, 14)
  file.writeInt32LE(width, 18)
  file.writeInt32LE(height, 22)
  file.writeUInt16LE(1, 26)
  file.writeUInt16LE(24, 28)
  file.writeUInt32LE(rowLength * height, 34)
  for (let row = 0; row < height; row++) {
    for (let column = 0; column < width; column++) {
      const from = 4 * (row * width + column)
      const to = head + rowLength * (height - 1 - row) + 3 * column
      // Blue is the first byte.
      for (const color of [0, 1, 2]) file.writeUInt8(pixels[from + 2 - color] ?? 0, to + color)
    }
  }
  return file
}
