import {
  type Codes,
  codesOf,
  compile,
  type Recipient,
  type SharedValues,
  unknownCodes,
  writeContent
} from './replacement.ts'

export interface ContentParts {
  subject: string
  html: string
  text: string
}

export interface ContentPreviewTask {
  content: ContentParts
  shared: SharedValues
  recipient: Omit<Recipient, 'replacements'>
}

export interface WrittenPreview extends ContentParts {
  /** Codes that mean nothing, as they stand in the content, each once. */
  unknown_codes: string[]
}

export function writePreview({ content, shared, recipient }: ContentPreviewTask): WrittenPreview {
  const codes: Codes = codesOf(shared, Date.now())
  const [subject, html, text] = [
    compile(content.subject, 'text'),
    compile(content.html, 'html'),
    compile(content.text, 'text')
  ]
  return {
    subject: writeContent(subject, codes, recipient),
    html: writeContent(html, codes, recipient),
    text: writeContent(text, codes, recipient),
    unknown_codes: [...new Set([subject, html, text].flatMap((part) => unknownCodes(part, codes)))]
  }
}
