import type { Command, Editor, JSONContent } from '@tiptap/core'
import { closeHistory } from '@tiptap/pm/history'
import { Fragment, type ResolvedPos, Slice } from '@tiptap/pm/model'
import { type EditorState, NodeSelection, type Selection, TextSelection } from '@tiptap/pm/state'

// A block is a direct child of the message or of a column. Each change of a block is a separate step in the
// undo history.

/** The depth of the block at a position; 0 between blocks. */
function blockDepth($at: ResolvedPos): number {
  for (let depth = $at.depth; depth > 0; depth--) {
    if (isContainer($at.node(depth - 1).type.name)) return depth
  }
  return 0
}

function isContainer(name: string): boolean {
  return name === 'doc' || name === 'column'
}

function startOfBlock(selection: Selection): number {
  const { $from } = selection
  if (selection instanceof NodeSelection && isContainer($from.parent.type.name)) return $from.pos
  return $from.before(Math.max(1, blockDepth($from)))
}

/** True if there is only an empty paragraph. */
export function isBlank({ state: { doc } }: Editor): boolean {
  return (
    doc.childCount === 1 && doc.firstChild?.type.name === 'paragraph' && doc.firstChild.content.size === 0
  )
}

/** Puts a block behind the one that is selected, or holds the cursor, and goes there. */
export function insertBlock(content: JSONContent): Command {
  return ({ tr, state, dispatch }) => {
    const block = state.schema.nodeFromJSON(content)
    const { $to } = state.selection
    const depth = blockDepth($to)
    const at = depth === 0 ? $to.pos : $to.after(depth)
    if (!dispatch) return true
    closeHistory(tr).insert(at, block)
    tr.setSelection(
      block.isAtom ? NodeSelection.create(tr.doc, at) : TextSelection.near(tr.doc.resolve(at + 1))
    )
    tr.scrollIntoView()
    return true
  }
}

/**
 * Exchanges the block with the one above (-1) or below it (1). If it is already first or last in its column, moves the whole columns
 * block instead.
 */
export function moveBlock(direction: -1 | 1): Command {
  return ({ tr, state, dispatch }) => {
    const start = startToMove(state, direction)
    const $start = state.doc.resolve(start)
    const { parent } = $start
    const index = $start.index()
    const other = parent.maybeChild(index + direction)
    const block = parent.maybeChild(index)
    if (!other || !block) return false
    if (!dispatch) return true
    const [from, first, second] =
      direction < 0 ? [start - other.nodeSize, block, other] : [start, other, block]
    const moved = start + direction * other.nodeSize
    const offset = state.selection.from - start
    closeHistory(tr).replace(
      from,
      from + first.nodeSize + second.nodeSize,
      new Slice(Fragment.from([first, second]), 0, 0)
    )
    tr.setSelection(
      state.selection instanceof NodeSelection
        ? NodeSelection.create(tr.doc, moved + offset)
        : TextSelection.near(tr.doc.resolve(moved + offset))
    )
    tr.scrollIntoView()
    return true
  }
}

/**
 * Returns the start of the block to move. If the block is already first or last in its column, returns the start of the columns
 * block around it.
 */
function startToMove({ doc, selection }: EditorState, direction: -1 | 1): number {
  const start = startOfBlock(selection)
  const $start = doc.resolve(start)
  const isAtEnd = !$start.parent.maybeChild($start.index() + direction)
  return isAtEnd && $start.parent.type.name === 'column' ? $start.before($start.depth - 1) : start
}

/** Returns the range of the columns block around a position if all its columns are empty; otherwise null. */
function emptyColumnsAt($at: ResolvedPos): { start: number; end: number } | null {
  for (let depth = $at.depth; depth > 0; depth--) {
    const node = $at.node(depth)
    if (node.type.name !== 'columns') continue
    const isEmpty = node.children.every(
      ({ childCount, firstChild }) =>
        childCount === 1 && firstChild?.type.name === 'paragraph' && firstChild.content.size === 0
    )
    // A message always has at least one block.
    return isEmpty && $at.doc.childCount > 1 ? { start: $at.before(depth), end: $at.after(depth) } : null
  }
  return null
}

/** Removes the blocks that are selected, or the one that holds the cursor; where no other is left, an empty paragraph stays. */
export const removeBlock: Command = ({ tr, state, dispatch }) => {
  const { $from, $to } = state.selection
  const columns = emptyColumnsAt($from)
  if (columns !== null) {
    if (dispatch) closeHistory(tr).delete(columns.start, columns.end)
    return true
  }
  const several = $from.blockRange($to, (node) => isContainer(node.type.name))
  const isNode = state.selection instanceof NodeSelection
  const start = several && !isNode ? several.start : startOfBlock(state.selection)
  const $start = state.doc.resolve(start)
  const block = $start.nodeAfter
  if (!block) return false
  if (!dispatch) return true
  const end = several && !isNode ? several.end : start + block.nodeSize
  closeHistory(tr)
  if (end - start < $start.parent.content.size) tr.delete(start, end)
  else tr.replaceWith(start, end, state.schema.nodes['paragraph']?.create() ?? [])
  tr.setSelection(TextSelection.near(tr.doc.resolve(Math.min(start, tr.doc.content.size))))
  return true
}
