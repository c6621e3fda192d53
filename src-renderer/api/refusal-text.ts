import { filled, type Param, type Refusal } from '../../src-main/base/refusal.ts'
import { refusalLanguage } from './refusal-language.ts'
import {
  asSentence,
  fieldText,
  inLanguage,
  sentenceOf,
  sentenceOfPermissions,
  withFieldNames
} from './sentence.ts'
import { i18n } from '../i18n.ts'

export function refusalSentence({ field, rule, params }: Refusal): string {
  if (rule === 'said') return sentenceOf(filled('{text}', params))
  if (rule === 'permission') return sentenceOfPermissions(filled('{permissions}', params).split(' or '))
  return worded(refusalLanguage.sentences[rule], params, field === undefined ? '' : fieldText(field))
}

/** Words a refusal for display at its field, without repeating the field's name. */
export function refusalAtField({ rule, params }: Refusal): string {
  // The name before a colon is left out. If the field's value is quoted, "this field" takes the place of its
  // name.
  const sentence = refusalLanguage.sentences[rule].replace(/^\{field\}(?:: | (?=["„{]))/, '')
  return worded(sentence, params, i18n.global.t('editor.thisField'))
}

/** A sentence with its params. The English ones call some fields as the API does. */
function worded(sentence: string, params: Refusal['params'], field: string): string {
  const text = filled(sentence, shown(params, field), refusalLanguage.terms)
  return asSentence(i18n.global.locale.value === 'en' ? withFieldNames(text) : text)
}

/** Params that are sentences themselves, and those that name fields. */
const sentenceParams = ['fault', 'faults', 'question']
const fieldParams = ['other', 'names']

/** Params with the labels of the fields that they name, and with sentences in the language of the window. */
function shown(params: Refusal['params'], field: string): Refusal['params'] {
  const given = Object.entries(params).map(([name, value]): [string, Param] => {
    if (fieldParams.includes(name)) {
      if (typeof value === 'string') return [name, fieldText(value)]
      if (typeof value === 'object') {
        return [name, value.map((each) => (typeof each === 'string' ? fieldText(each) : each))]
      }
    }
    return [name, sentenceParams.includes(name) && typeof value === 'string' ? inLanguage(value) : value]
  })
  return { ...Object.fromEntries(given), field }
}
