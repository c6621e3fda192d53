import { escapeHtml } from './html.ts'

interface Labelled {
  name: string
  label: string
  help?: string
  isRequired?: boolean
}

/** A field of a form on a page. */
export type Control = Labelled &
  (
    | { kind: 'text' | 'email' | 'number' | 'date'; maxLength?: number | null }
    | { kind: 'multiline'; rows: number }
    | { kind: 'checkbox' }
    /** One of several: a list to open, or all to see. */
    | { kind: 'choice' | 'radio'; options: readonly Option[]; chosen?: string }
    /** Any of several. */
    | { kind: 'checkboxes'; options: readonly Option[] }
  )

interface Option {
  value: string
  label: string
}

/** The name of the field that people do not see: programs fill it in. */
export const honeypot = 'website'

/** Returns a field that is hidden from people, also from those with a screen reader. */
export function honeypotHtml(label: string): string {
  return `<div class="trap" aria-hidden="true"><label>${escapeHtml(label)} <input name="${honeypot}" tabindex="-1" autocomplete="off"></label></div>`
}

/** Returns a field with its label. @param index makes its id */
export function controlHtml(control: Control, index: number): string {
  const id = `field-${index}`
  const required = control.isRequired ? ' required' : ''
  const name = `name="${escapeHtml(control.name)}"`
  const help = control.help ? `<small id="${id}-help">${escapeHtml(control.help)}</small>` : ''
  const described = control.help ? ` aria-describedby="${id}-help"` : ''
  const mark = control.isRequired ? ' <span aria-hidden="true">*</span>' : ''
  const label = `${escapeHtml(control.label)}${mark}`
  switch (control.kind) {
    case 'checkbox':
      return `<p class="field check"><input type="checkbox" id="${id}" ${name} value="1"${required}${described}><label for="${id}">${label}</label>${help}</p>`
    case 'multiline':
      return `<p class="field"><label for="${id}">${label}</label><textarea id="${id}" ${name} rows="${control.rows}"${required}${described}></textarea>${help}</p>`
    case 'choice': {
      const options = control.options.map(({ value, label: text }) => {
        const chosen = value === control.chosen ? ' selected' : ''
        return `<option value="${escapeHtml(value)}"${chosen}>${escapeHtml(text)}</option>`
      })
      return `<p class="field"><label for="${id}">${label}</label><select id="${id}" ${name}${required}${described}>${options.join('')}</select>${help}</p>`
    }
    case 'radio':
    case 'checkboxes': {
      const type = control.kind === 'radio' ? 'radio' : 'checkbox'
      // The browser would ask for each of several boxes.
      const wanted = control.kind === 'radio' ? required : ''
      const options = control.options.map(
        ({ value, label: text }, at) =>
          `<span class="check"><input type="${type}" id="${id}-${at}" ${name} value="${escapeHtml(value)}"${wanted}><label for="${id}-${at}">${escapeHtml(text)}</label></span>`
      )
      return `<fieldset class="field"${described}><legend>${label}</legend>${options.join('')}${help}</fieldset>`
    }
    default: {
      const length = control.maxLength ? ` maxlength="${control.maxLength}"` : ''
      const autocomplete = control.kind === 'email' ? ' autocomplete="email"' : ''
      return `<p class="field"><label for="${id}">${label}</label><input type="${control.kind}" id="${id}" ${name}${length}${autocomplete}${required}${described}>${help}</p>`
    }
  }
}
