import type { JSONContent } from '@tiptap/core'
import type { MessageDesign } from './design.ts'

/** A message in plain text, for those who read no HTML. */
export function textOfDesign({ document }: MessageDesign): string {
  return blocksOf(document.content ?? [])
    .filter((block) => block.trim() !== '')
    .join('\n\n')
}

function blocksOf(blocks: JSONContent[]): string[] {
  return blocks.flatMap(({ type, attrs = {}, content = [] }) => {
    switch (type) {
      case 'columns':
      case 'column':
        return blocksOf(content)
      case 'bulletList':
        return [listOf(content, () => '- ')]
      case 'orderedList':
        return [listOf(content, (index) => `${Number(attrs['start'] ?? 1) + index}. `)]
      case 'button':
        return [withAddress(lineOf(content), attrs['href'])]
      case 'image':
        return [withAddress(String(attrs['alt']), attrs['href'])]
      case 'divider':
        return ['-'.repeat(40)]
      default:
        return [lineOf(content).trimEnd()]
    }
  })
}

/** @param bullet what stands before an item, by its index */
function listOf(items: JSONContent[], bullet: (index: number) => string): string {
  return items
    .map(({ content = [] }, index) => {
      const mark = bullet(index)
      return (
        mark +
        blocksOf(content)
          .join('\n')
          .replaceAll('\n', `\n${' '.repeat(mark.length)}`)
      )
    })
    .join('\n')
}

/** A link of several pieces, such as one bold word in it, says its address once, behind the last of them. */
function lineOf(content: JSONContent[]): string {
  return content
    .map((node, index) => {
      const href = hrefOf(node)
      const plain = plainOf(node)
      return href !== undefined && hrefOf(content[index + 1]) !== href ? withAddress(plain, href) : plain
    })
    .join('')
}

function plainOf({ type, text = '', attrs = {} }: JSONContent): string {
  if (type === 'hardBreak') return '\n'
  return type === 'code' ? `%%${String(attrs['code'])}%%` : text
}

function hrefOf(node: JSONContent | undefined): unknown {
  return node?.marks?.find(({ type }) => type === 'link')?.attrs?.['href']
}

function withAddress(label: string, href: unknown): string {
  if (typeof href !== 'string' || href === '' || href === label) return label
  return label === '' ? href : `${label}: ${href}`
}
