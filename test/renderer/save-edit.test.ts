import { describe, expect, it } from 'vitest'
import { ApiFailure, type RecordVersion } from '../../src-renderer/api/client.ts'
import { saveEdit, writeChanges } from '../../src-renderer/components/records/save-edit.ts'
import type { EditConflict } from '../../src-renderer/model/merge-edits.ts'

interface List {
  name: string
  note: string
}

/** A stored list of which others change something before each of the first writes. */
function storedList(stored: List, others: Partial<List>[] = []) {
  const left = [...others]
  let version = 0
  const written: Partial<List>[] = []
  return {
    written,
    stored: () => stored,
    record: {
      read: (read: RecordVersion): Promise<List> => {
        read.lastChange = String(version)
        return Promise.resolve({ ...stored })
      },
      write: writeChanges<List, List>(
        (state) => state,
        (changes, read) => {
          const other = left.shift()
          if (other) {
            stored = { ...stored, ...other }
            version++
          }
          if (read.lastChange !== String(version)) {
            return Promise.reject(new ApiFailure('conflict', 'The list was changed.'))
          }
          written.push(changes)
          stored = { ...stored, ...changes }
          return Promise.resolve()
        }
      )
    }
  }
}

const neverAsked = (): Promise<null> => Promise.reject(new Error('asked without a conflict'))

describe('saveEdit', () => {
  const base = { name: 'News', note: '' }

  it('writes only what the user changed', async () => {
    const list = storedList(base)

    const saved = await saveEdit(base, { ...base, note: 'Mine' }, list.record, neverAsked)

    expect(saved).toEqual({ name: 'News', note: 'Mine' })
    expect(list.written).toEqual([{ note: 'Mine' }])
  })

  it('writes nothing if the user changed nothing', async () => {
    const list = storedList({ name: 'Renamed', note: '' })

    await saveEdit(base, { ...base }, list.record, neverAsked)

    expect(list.written).toEqual([])
  })

  it('keeps what others changed since the form was opened', async () => {
    const list = storedList({ name: 'Renamed', note: '' })

    const saved = await saveEdit(base, { ...base, note: 'Mine' }, list.record, neverAsked)

    expect(saved).toEqual({ name: 'Renamed', note: 'Mine' })
    expect(list.stored()).toEqual({ name: 'Renamed', note: 'Mine' })
  })

  it('merges again if others change the record while it is written', async () => {
    const list = storedList(base, [{ name: 'First' }, { name: 'Second' }])

    const saved = await saveEdit(base, { ...base, note: 'Mine' }, list.record, neverAsked)

    expect(saved).toEqual({ name: 'Second', note: 'Mine' })
  })

  it('asks once about a value that both changed, also if others go on changing other values', async () => {
    const list = storedList({ name: 'Theirs', note: '' }, [{ note: 'Theirs' }])
    const asked: EditConflict[][] = []
    const decide = (state: List, conflicts: EditConflict[]): Promise<List> => {
      asked.push(conflicts)
      return Promise.resolve(state)
    }

    const saved = await saveEdit(base, { ...base, name: 'Mine' }, list.record, decide)

    expect(asked).toEqual([[{ path: ['name'], base: 'News', mine: 'Mine', theirs: 'Theirs' }]])
    expect(saved).toEqual({ name: 'Mine', note: 'Theirs' })
  })

  it('writes nothing if the user goes back to the form', async () => {
    const list = storedList({ name: 'Theirs', note: '' })

    const saved = await saveEdit(base, { ...base, name: 'Mine' }, list.record, () => Promise.resolve(null))

    expect(saved).toBeNull()
    expect(list.written).toEqual([])
  })

  it('gives up if others change the record at each attempt', async () => {
    const others = Array.from({ length: 20 }, (_, index) => ({ name: `Name ${index}` }))
    const list = storedList(base, others)

    const saved = await saveEdit(base, { ...base, note: 'Mine' }, list.record, neverAsked)

    expect(saved).toBeUndefined()
    expect(list.written).toEqual([])
  })

  it('passes on a failure that is no conflict', async () => {
    const list = storedList(base)
    const record = { ...list.record, write: () => Promise.reject(new Error('The disk is full.')) }

    const saving = saveEdit(base, { ...base, note: 'Mine' }, record, neverAsked)

    await expect(saving).rejects.toThrow('The disk is full.')
  })
})
