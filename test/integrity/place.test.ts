import { englishOf } from '../../src-main/base/refusal.ts'
import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { createApp } from '../../src-main/app.ts'
import { requireWritable, unsafePlaces } from '../../src-main/integrity/place.ts'
import { temporaryDirectory } from '../support/application.ts'
import { canMount } from '../support/small-disk.ts'

const mounts = [
  '/dev/sda1 / ext4 rw 0 0',
  'server:/home /home nfs4 rw 0 0',
  '/dev/sdb1 /home/ann/disk\\040two ext4 rw 0 0',
  '//nas/data /media/nas cifs rw 0 0'
].join('\n')

const warningsAt = (...place: Parameters<typeof unsafePlaces>): string[] =>
  unsafePlaces(...place).map(englishOf)

describe('where the data lies', () => {
  it('is reported if it is on another computer', () => {
    expect(unsafePlaces('/srv/listwright', mounts)).toEqual([])
    expect(unsafePlaces('/home/ann/disk two/listwright', mounts)).toEqual([])
    expect(unsafePlaces('/homes/ann', mounts)).toEqual([])
    expect(warningsAt('/home', mounts).join()).toContain('on another computer (nfs4)')
    expect(warningsAt('/anywhere', 'server:/ / nfs rw 0 0').join()).toContain('on another computer (nfs)')
    expect(warningsAt('/home/ann/listwright', mounts).join()).toContain('on another computer (nfs4)')
    expect(warningsAt('/media/nas', mounts).join()).toContain('on another computer (cifs)')
    expect(warningsAt('\\\\nas\\data\\listwright', null).join()).toContain('on another computer')
  })

  it('is reported if a program copies it into a cloud', () => {
    expect(warningsAt('/srv/Dropbox/listwright', mounts).join()).toContain('Dropbox copies')
    expect(warningsAt('/srv/OneDrive - Example Ltd/data', mounts).join()).toContain('OneDrive copies')
    expect(unsafePlaces('/srv/dropboxes/listwright', mounts)).toEqual([])
    expect(warningsAt('/srv/Dropbox/MEGA/data', mounts)).toEqual([
      'MEGA copies /srv/Dropbox/MEGA/data while it changes, which can damage the data. Keep the data in another folder, and use this one for backups.'
    ])
  })

  it('is refused in a sentence when a part of its path is a file', async () => {
    const file = join(await temporaryDirectory(), 'file')
    await writeFile(file, '')
    await expect(requireWritable(file)).rejects.toThrow(
      `Cannot write to ${file}: there is a file with this name. Choose another folder with --data-dir.`
    )
    await expect(requireWritable(join(file, 'data'))).rejects.toThrow('part of its path is a file')
    const fresh = join(await temporaryDirectory(), 'some', 'where')
    await requireWritable(fresh)
    expect(existsSync(fresh)).toBe(true)
  })

  it.skipIf(!canMount)('is refused in a sentence when nothing can be written there', async () => {
    const disk = await temporaryDirectory()
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'ro', 'listwright-test', disk])
    onTestFinished(() => void execFileSync('umount', ['--lazy', disk]))
    for (const dataDirectory of [disk, join(disk, 'data')]) {
      await expect(createApp({ dataDirectory, port: 0 })).rejects.toThrow(
        /^Cannot write to .*read-only\. Choose another folder with --data-dir\.$/
      )
    }
  })
})
