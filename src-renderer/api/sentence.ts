import { endSentence } from '../../src-main/base/refusal.ts'
import { i18n } from '../i18n.ts'

/**
 * Quoted texts are users' own and not translated. An API name has an underscore or is part of a path, such as
 * contents.0.subject; a file name or domain is not.
 */
const quotedOrName =
  /"[^"]*"|(?<![\w./-])(?:[a-z_]+\.\d+(?:\.[a-z_]+)?|[a-z]+_attributes\.[a-z_]+|[a-z]+\d?(?:_[a-z0-9]+)+)(?![\w/-]|\.\w)/g

/** A refusal for want of permissions such as campaign/template.create, with the labels that the window gives them. */
export function sentenceOfPermissions(permissions: string[]): string {
  const { t } = i18n.global
  const labels = permissions.map((permission) => {
    const [key = '', action = ''] = permission.split('.')
    return `“${t(`permissionKey.${key.replace('/', '_')}`)}: ${t(`permissionAction.${action}`)}”`
  })
  const joined = labels.reduce((first, last) => t('refusalText.or', { first, last }))
  return t('refusalText.permission', { permissions: joined })
}

/** Capitalizes a text and ends it with a period. */
export function asSentence(text: string): string {
  return endSentence(text.charAt(0).toUpperCase() + text.slice(1))
}

/** Returns the label of a field by its API path, such as contents.0.subject: "Subject (1)". */
export function fieldLabelOf(path: string): string {
  const field = lastName(path)
  const key = ['listForm', 'fieldLabel', 'fieldAttribute', 'auditAttribute', 'organizationFrame']
    .map((section) => `${section}.${field}`)
    .find((each) => i18n.global.te(each))
  return withPlace(path, key === undefined ? labelOf(field) : i18n.global.t(key))
}

/** An English sentence of another program, with the labels of the fields that it calls as the API does. */
export function withLabels(message: string): string {
  const [first = ''] = /^[a-z]+\d?(?= (?:cannot|must|is|has) )/.exec(message) ?? []
  return withFieldNames(labelOf(first) + message.slice(first.length))
}

/** A text with the labels of fields that it calls as the API does. */
export function withFieldNames(text: string): string {
  return text.replaceAll(quotedOrName, (part) => (part.startsWith('"') ? part : labelOf(part)))
}

/** The name of a field of the API, or of a custom field, as a user knows it. */
export function fieldText(field: string): string {
  // A custom field may have any name; a path such as contents.0.subject is certainly one of the API.
  const isPath = /^[a-z]\w*(?:\.\w+)+$/.test(field)
  return isPath || labelKeyOf(field) !== undefined ? labelOf(field) : field
}

/** The label of a field by its path, such as contents.0.subject: "Subject (1)". */
function labelOf(path: string): string {
  const field = lastName(path)
  const key = labelKeyOf(field)
  return withPlace(path, key === undefined ? field.replaceAll('_', ' ') : i18n.global.t(key))
}

/** A label with the place of what it is about, counted from 1. */
function withPlace(path: string, label: string): string {
  const index = path.split('.').find((part) => /^\d+$/.test(part))
  return index === undefined ? label : `${label} (${Number(index) + 1})`
}

/** The field that a path leads to, without the places on the way. */
function lastName(path: string): string {
  return path.split('.').findLast((part) => !/^\d+$/.test(part)) ?? path
}

function labelKeyOf(field: string): string | undefined {
  return [`listForm.${field}`, `fieldLabel.${field}`].find((key) => i18n.global.te(key))
}
