import ts from 'typescript'

/** A part of a source that runs from its beginning when it runs at all. */
export interface Block {
  number: number
  file: string
  /** In characters from 0; the end is exclusive. */
  start: number
  end: number
}

/** Instruments a source so that it reports its reached blocks. The first block is the file itself. */
export function instrumented(
  file: string,
  text: string,
  firstNumber: number,
  reachedModule: string
): { text: string; blocks: Block[] } {
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true)
  const blocks: Block[] = [{ number: firstNumber, file, start: 0, end: text.length }]
  const insertions: { at: number; text: string }[] = []
  const add = (node: ts.Node): number => {
    const number = firstNumber + blocks.length
    blocks.push({ number, file, start: node.getStart(source), end: node.getEnd() })
    return number
  }
  const visit = (node: ts.Node): void => {
    if (ts.isBlock(node)) {
      insertions.push({ at: node.getStart(source) + 1, text: `reached__(${add(node)});` })
    } else if (ts.isArrowFunction(node) && !ts.isBlock(node.body)) {
      const { body } = node
      insertions.push({ at: body.getStart(source), text: `(reached__(${add(body)}),` })
      ts.forEachChild(node, visit)
      insertions.push({ at: body.getEnd(), text: ')' })
      return
    }
    ts.forEachChild(node, visit)
  }
  visit(source)
  // Stable: of insertions at one place, the outer one's beginning comes first and its end last.
  const body = [...insertions]
    .sort((a, b) => a.at - b.at)
    .reduceRight(
      (changed, { at, text: inserted }) => changed.slice(0, at) + inserted + changed.slice(at),
      text
    )
  const prelude = `import { reached as reached__ } from ${JSON.stringify(reachedModule)};reached__(${firstNumber});`
  return { text: prelude + body, blocks }
}

export function blockAt(blocks: readonly Block[], file: string, place: number): Block | undefined {
  return blocks
    .filter((block) => block.file === file && block.start <= place && place < block.end)
    .sort((a, b) => a.end - a.start - (b.end - b.start))[0]
}
