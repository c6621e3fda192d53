import { getSchema, type JSONContent } from '@tiptap/core'
import { messageExtensions } from '../../src-renderer/message-design/nodes.ts'

export { adoptHtml, readDesign, renderDesign } from '../../src-renderer/message-design/html.ts'
export { textOfDesign } from '../../src-renderer/message-design/text.ts'

const schema = getSchema(messageExtensions())

/** A document with all that it leaves out, and what belongs together in one piece. */
export function completed(document: JSONContent): JSONContent {
  const joined = schema.nodeFromJSON(document)
  joined.check()
  // Neighboring texts with the same marks become one only when a document is built up.
  const again = (node: typeof joined): typeof joined =>
    node.isText ? node : node.copy(node.content.size === 0 ? node.content : build(node))
  const build = (node: typeof joined) => {
    const children: (typeof joined)[] = []
    node.forEach((child) => children.push(again(child)))
    return node.type.create(node.attrs, children).content
  }
  return again(joined).toJSON() as JSONContent
}
