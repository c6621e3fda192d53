import {
  type Codes,
  codesOf,
  compile,
  type Recipient,
  type SharedValues,
  unknownCodes,
  write
} from './replacement.ts'

/** The parts of a content. */
export interface ContentParts {
  subject: string
  html: string
  text: string
}

/** What a preview is made of. */
export interface ContentPreviewTask {
  content: ContentParts
  shared: SharedValues
  recipient: Omit<Recipient, 'replacements'>
}

export interface WrittenPreview extends ContentParts {
  /** Codes that mean nothing, as they stand in the content, each once. */
  unknown_codes: string[]
}

/** A content as somebody would get it. */
export function writePreview({ content, shared, recipient }: ContentPreviewTask): WrittenPreview {
  const codes: Codes = codesOf(shared, Date.now())
  const [subject, html, text] = [
    compile(content.subject, 'text'),
    compile(content.html, 'html'),
    compile(content.text, 'text')
  ]
  return {
    subject: write(subject, codes, recipient),
    html: write(html, codes, recipient),
    text: write(text, codes, recipient),
    unknown_codes: [...new Set([subject, html, text].flatMap((part) => unknownCodes(part, codes)))]
  }
}
