import { describe, expect, it } from 'vitest'
import { englishOf, refusal, wordRefusal } from '../src-main/base/refusal.ts'
import { english } from '../src-main/base/refusals/english.ts'
import { german, germanTerms } from '../src-main/base/refusals/german.ts'
import {
  presentStored,
  readStoredRefusal,
  type StoredRefusal,
  storeRefusal
} from '../src-main/base/stored-refusal.ts'

it('the sentence of a refusal has its field and its params', () => {
  expect(englishOf(refusal('one_of', { field: 'color', values: ['Red', 'Blue'] }))).toBe(
    'color must be one of Red, Blue'
  )
})

it('records in a sentence are named by their kind, id and name', () => {
  const others = [
    { kind: 'campaign', id: 1, name: 'Spring' },
    { kind: 'template', id: 2, name: 'Letter' }
  ]

  expect(englishOf(refusal('used_by', { name: 'Loyal', others }))).toBe(
    'Loyal cannot be deleted: it is used by campaign 1 (Spring), template 2 (Letter)'
  )
})

it('a value that looks like a param, or like a property of any object, stays as it is', () => {
  expect(englishOf(refusal('name_taken', { field: 'name', name: '{kind} $1', kind: 'list' }))).toBe(
    'name "{kind} $1" is already taken by another list'
  )
  expect(englishOf(refusal('not_found', { what: 'constructor' }))).toBe('constructor was not found')
})

it('a term of ours is in the language of the sentence, and a value is not', () => {
  const terms = { campaign: 'Kampagne' }
  const taken = refusal('name_taken', { field: 'name', name: 'campaign', kind: 'campaign' })

  expect(wordRefusal(taken, { sentences: english, terms })).toBe(
    'name "campaign" is already taken by another Kampagne'
  )
})

it('a refusal inside another one is in the same language', () => {
  const full = refusal('then_continue_import', { fault: refusal('disk_full') })

  expect(englishOf(full)).toBe('the disk is full. Free some space, then continue the import')
  expect(wordRefusal(full, { sentences: german, terms: germanTerms })).toBe(
    'Der Datenträger ist voll. Schaffen Sie Platz, und setzen Sie den Import dann fort'
  )
})

describe('a stored refusal', () => {
  it('has its rule and params after it was read', () => {
    const fault = refusal('enclosure_not_closed', { enclosure: '"' })

    expect(readStoredRefusal(storeRefusal(fault))).toEqual({
      text: 'a " is opened here and never closed',
      fault
    })
  })

  it('is read from the plain sentence that an earlier version stored', () => {
    const column = 'the file is empty' as StoredRefusal

    expect(readStoredRefusal(column)).toEqual({
      text: 'the file is empty',
      fault: refusal('said', { text: 'the file is empty' })
    })
  })

  it.each(['{"a file"}.csv in the archive is damaged', '{x}.csv in the archive is damaged'])(
    'is a sentence of an earlier version also if that begins like JSON: %s',
    (sentence) => {
      expect(readStoredRefusal(sentence as StoredRefusal)).toEqual({
        text: sentence,
        fault: refusal('said', { text: sentence })
      })
    }
  )

  it('keeps its sentence where this version words it or a refusal inside it in another way', () => {
    const inside = { rule: 'former', params: {} }
    const former = { rule: 'then_continue_import', params: { fault: inside }, text: 'wait, then go on' }

    expect(readStoredRefusal(JSON.stringify(former) as StoredRefusal).fault).toEqual(
      refusal('said', { text: 'wait, then go on' })
    )
  })

  it('is read as null if an earlier version stored a blank sentence', () => {
    expect(presentStored('' as StoredRefusal).fault).toBeNull()
  })

  it('keeps its sentence where this version no longer has its rule', () => {
    const column = JSON.stringify({ rule: 'former', params: {}, text: 'the moon is full' }) as StoredRefusal

    expect(readStoredRefusal(column).fault).toEqual(refusal('said', { text: 'the moon is full' }))
  })
})
