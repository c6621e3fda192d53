import { i18n } from '../i18n.ts'

/**
 * What somebody wrote stands in quotes, and is left alone. A name of the API has an underscore in it, or stands in another with
 * its place, as in contents.0.subject; a file or a domain does not.
 */
const quotedOrName =
  /"[^"]*"|(?<![\w./-])(?:[a-z_]+\.\d+(?:\.[a-z_]+)?|[a-z]+_attributes\.[a-z_]+|[a-z]+\d?(?:_[a-z0-9]+)+)(?![\w/-]|\.\w)/g

/**
 * A message of the API as a sentence for a person. The API calls fields as programs do; here they have the labels that the
 * window gives them.
 */
export function sentenceOf(message: string): string {
  const [first = ''] = /^[a-z]+\d?(?= (?:cannot|must|is|has) )/.exec(message) ?? []
  const named = labelOf(first) + message.slice(first.length)
  const text = named.replaceAll(quotedOrName, (part) => (part.startsWith('"') ? part : labelOf(part)))
  const sentence = text.charAt(0).toUpperCase() + text.slice(1)
  return /[.!?]$/.test(sentence) ? sentence : `${sentence}.`
}

/** The label of a field by its path, such as contents.0.subject: "Subject (1)". */
function labelOf(path: string): string {
  const parts = path.split('.')
  const field = parts.findLast((part) => !/^\d+$/.test(part)) ?? path
  const index = parts.find((part) => /^\d+$/.test(part))
  const key = [`listForm.${field}`, `fieldLabel.${field}`].find((each) => i18n.global.te(each))
  const label = key === undefined ? field.replaceAll('_', ' ') : i18n.global.t(key)
  return index === undefined ? label : `${label} (${Number(index) + 1})`
}
