import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { createApp } from '../../src-main/app.ts'
import { unsafePlaces } from '../../src-main/integrity/place.ts'
import { temporaryDirectory } from '../support/application.ts'
import { canMount } from '../support/small-disk.ts'

const mounts = [
  '/dev/sda1 / ext4 rw 0 0',
  'server:/home /home nfs4 rw 0 0',
  '/dev/sdb1 /home/ann/disk\\040two ext4 rw 0 0',
  '//nas/data /media/nas cifs rw 0 0'
].join('\n')

describe('where the data lies', () => {
  it('is told when it is on another computer', () => {
    expect(unsafePlaces('/srv/listwright', mounts)).toEqual([])
    expect(unsafePlaces('/home/ann/disk two/listwright', mounts)).toEqual([])
    expect(unsafePlaces('/homes/ann', mounts)).toEqual([])
    expect(unsafePlaces('/home/ann/listwright', mounts).join()).toContain('on another computer (nfs4)')
    expect(unsafePlaces('/media/nas', mounts).join()).toContain('on another computer (cifs)')
    expect(unsafePlaces('\\\\nas\\data\\listwright', null).join()).toContain('on another computer')
  })

  it('is told when a program copies it into a cloud', () => {
    expect(unsafePlaces('/srv/Dropbox/listwright', mounts).join()).toContain('Dropbox copies')
    expect(unsafePlaces('/srv/OneDrive - Example Ltd/data', mounts).join()).toContain('OneDrive copies')
    expect(unsafePlaces('/srv/dropboxes/listwright', mounts)).toEqual([])
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
