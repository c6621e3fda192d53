import { filled, type Refusal } from '../../src-main/base/refusal.ts'
import { refusalLanguage } from './refusal-language.ts'
import { fieldText, inLanguage, sentenceOf, sentenceOfPermissions } from './sentence.ts'
import { i18n } from '../i18n.ts'

/** A refusal as a sentence for a user, with the label of its field. */
export function refusalSentence({ field, rule, params }: Refusal): string {
  if (rule === 'said') return sentenceOf(filled('{text}', params))
  if (rule === 'permission') return sentenceOfPermissions(filled('{permissions}', params).split(' or '))
  const { sentences, terms } = refusalLanguage
  return asSentence(
    filled(sentences[rule], shown(params, field === undefined ? '' : fieldText(field)), terms)
  )
}

/** A refusal as a sentence that stands at its field, whose name it need not repeat. */
export function refusalAtField({ rule, params }: Refusal): string {
  // "name: …" goes on without the name, and a value that is named stands for the field.
  const { sentences, terms } = refusalLanguage
  const sentence = sentences[rule].replace(/^\{field\}(?:: | (?=["„{]))/, '')
  return asSentence(filled(sentence, shown(params, i18n.global.t('editor.thisField')), terms))
}

/** Params that are sentences themselves. */
const sentenceParams = ['fault', 'faults', 'question']

/** Params with the labels of the fields that they name, and with sentences in the language of the window. */
function shown(params: Refusal['params'], field: string): Refusal['params'] {
  const given = Object.entries(params).map(([name, value]) => {
    if (typeof value !== 'string') return [name, value]
    if (name === 'other') return [name, fieldText(value)]
    return [name, sentenceParams.includes(name) ? inLanguage(value) : value]
  })
  return { ...(Object.fromEntries(given) as Refusal['params']), field }
}

function asSentence(text: string): string {
  const sentence = text.charAt(0).toUpperCase() + text.slice(1)
  return /[.!?]$/.test(sentence) ? sentence : `${sentence}.`
}
