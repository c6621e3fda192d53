import {
  type Complaint,
  endSentence,
  fillSentence,
  type Param,
  type Refusal
} from '../../src-main/base/refusal.ts'
import { refusalLanguage } from './refusal-language.ts'
import { asSentence, fieldText, sentenceOfPermissions, withFieldNames, withLabels } from './sentence.ts'
import { i18n } from '../i18n.ts'

/** Sentences that begin with the name of something outside keep its spelling. */
const beginsVerbatim = /^\{(?:host|url|path|name|folder|program)\}/

/** Words a refusal in the language of the window. */
export function refusalSentence(refusal: Refusal): string {
  const { rule, params } = refusal
  if (rule === 'several') return refusalsIn(params).map(refusalSentence).join(' ')
  if (rule === 'permission') return sentenceOfPermissions(textParam(params['permissions']).split(' or '))
  const text = worded(refusal)
  return beginsVerbatim.test(refusalLanguage.sentences[rule]) ? endSentence(text) : asSentence(text)
}

/** Words a refusal for display at its field, without repeating the field's name. */
export function refusalAtField({ rule, params }: Refusal): string {
  // The name before a colon is left out. If the field's value is quoted, "this field" takes the place of its
  // name.
  const sentence = refusalLanguage.sentences[rule].replace(/^\{field\}(?:: | (?=["„{]))/, '')
  return asSentence(filled(sentence, params, i18n.global.t('editor.thisField')))
}

function worded({ rule, params, field }: Refusal): string {
  if (rule === 'said') return withLabels(textParam(params['text']))
  return filled(refusalLanguage.sentences[rule], params, field === undefined ? '' : fieldText(field))
}

/** Fills a sentence. The English ones call some fields as the API does. */
function filled(sentence: string, params: Complaint['params'], field: string): string {
  // Only our own words name fields: what stands in a param, such as an address or an option, is left as it is.
  const template = i18n.global.locale.value === 'en' ? withFieldNames(sentence) : sentence
  return fillSentence(template, { ...wordParams(params), field }, refusalLanguage)
}

const fieldParams = ['other', 'names']

function wordParams(params: Complaint['params']): Complaint['params'] {
  const entries = Object.entries(params).map(([name, value]): [string, Param] => {
    const textOf = (item: Param): Param => {
      if (typeof item === 'object') return 'rule' in item ? worded(item) : item
      return typeof item === 'string' && fieldParams.includes(name) ? fieldText(item) : item
    }
    return [name, Array.isArray(value) ? (value.map(textOf) as Param) : textOf(value)]
  })
  return Object.fromEntries(entries)
}

function textParam(param: Param | undefined): string {
  return typeof param === 'string' ? param : ''
}

function refusalsIn({ faults }: Complaint['params']): Refusal[] {
  return Array.isArray(faults) ? (faults as Refusal[]) : []
}
