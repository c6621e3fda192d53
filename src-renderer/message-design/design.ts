import type { JSONContent } from '@tiptap/core'

/** Fonts that every computer has, so that a message looks the same everywhere: name -> CSS. */
export const fonts = {
  arial: 'Arial, Helvetica, sans-serif',
  verdana: 'Verdana, Geneva, sans-serif',
  georgia: 'Georgia, Times, serif',
  times: 'Times New Roman, Times, serif'
} as const
export type FontName = keyof typeof fonts
export const fontNames = Object.keys(fonts) as FontName[]

/** The look that all blocks of a message share. */
export interface Look {
  /** The color of buttons and links, `#rrggbb`. */
  accent: string
  /** Around the message, as `#rrggbb`. */
  background: string
  font: FontName
}

export const defaultLook: Look = { accent: '#4f46e5', background: '#f1f5f9', font: 'arial' }

/** A message as the visual editor knows it; mail programs get it as the HTML of `renderDesign`. */
export interface MessageDesign {
  /** The text that inboxes show after the subject. */
  preheader: string
  look: Look
  /** The document of the editor: `doc` with blocks, by the schema of `nodes.ts`. */
  document: JSONContent
}

export const emptyDocument: JSONContent = { type: 'doc', content: [{ type: 'paragraph' }] }

/** True if there is at most an empty paragraph. */
export function isEmptyDocument({ content = [] }: JSONContent): boolean {
  return content.length === 0 || (content.length === 1 && isEmptyParagraph(content[0]))
}

function isEmptyParagraph(block: JSONContent | undefined): boolean {
  return block?.type === 'paragraph' && (block.content ?? []).length === 0
}

/** Percent of the column's width. */
export const imageWidths = [100, 75, 50, 25] as const

/** The width of a message in pixels. */
export const width = 600
/** Inside it, left and right, in pixels: a line of text stands where a picture begins. */
export const margin = 32

/**
 * Returns the width at which an image is shown without being enlarged.
 * @param pixels its own width
 */
export function widthFor(pixels: number): number {
  return imageWidths.find((share) => pixels >= ((width - 2 * margin) * share) / 100) ?? 25
}

export const alignments = ['left', 'center', 'right'] as const
export type Alignment = (typeof alignments)[number]

export function alignmentOf(value: unknown): Alignment {
  return alignments.find((each) => each === value) ?? 'left'
}
