import { expect, it } from 'vitest'
import { englishOf, filled, refusal } from '../src-main/base/refusal.ts'

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

it('words of ours are said in the language of the sentence, and values are not', () => {
  const terms = { campaign: 'Kampagne' }

  expect(filled('{what}: {name}', { what: 'campaign', name: 'campaign' }, terms)).toBe('Kampagne: campaign')
})
