import ts from 'typescript'

/** A small change of a source that a test should notice. */
export interface Mutant {
  file: string
  /** From 1. */
  line: number
  /** In characters from 0; the end is exclusive. */
  start: number
  end: number
  original: string
  replacement: string
}

const otherOperators: Partial<Record<ts.SyntaxKind, string>> = {
  [ts.SyntaxKind.LessThanToken]: '<=',
  [ts.SyntaxKind.LessThanEqualsToken]: '<',
  [ts.SyntaxKind.GreaterThanToken]: '>=',
  [ts.SyntaxKind.GreaterThanEqualsToken]: '>',
  [ts.SyntaxKind.EqualsEqualsEqualsToken]: '!==',
  [ts.SyntaxKind.ExclamationEqualsEqualsToken]: '===',
  [ts.SyntaxKind.AmpersandAmpersandToken]: '||',
  [ts.SyntaxKind.BarBarToken]: '&&',
  [ts.SyntaxKind.PlusToken]: '-',
  [ts.SyntaxKind.MinusToken]: '+',
  [ts.SyntaxKind.AsteriskToken]: '/',
  [ts.SyntaxKind.SlashToken]: '*'
}

/** Every mutant of a source text, in the order of the text. */
export function mutantsOf(file: string, text: string): Mutant[] {
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true)
  const mutants: Mutant[] = []
  const add = (node: ts.Node, replacement: string): void => {
    const start = node.getStart(source)
    const { line } = source.getLineAndCharacterOfPosition(start)
    mutants.push({
      file,
      line: line + 1,
      start,
      end: node.getEnd(),
      original: node.getText(source),
      replacement
    })
  }
  const visit = (node: ts.Node): void => {
    // Types are gone when the code runs.
    if (ts.isTypeNode(node) || ts.isInterfaceDeclaration(node) || ts.isImportDeclaration(node)) return
    mutate(node, add)
    ts.forEachChild(node, visit)
  }
  visit(source)
  return mutants
}

function mutate(node: ts.Node, add: (node: ts.Node, replacement: string) => void): void {
  if (ts.isBinaryExpression(node)) {
    const other = otherOperators[node.operatorToken.kind]
    // Texts that are joined are not numbers that are added.
    const joins = node.operatorToken.kind === ts.SyntaxKind.PlusToken && holdsText(node)
    if (other && !joins) add(node.operatorToken, other)
    if (node.operatorToken.kind === ts.SyntaxKind.QuestionQuestionToken) add(node, node.left.getText())
  } else if (ts.isPrefixUnaryExpression(node) && node.operator === ts.SyntaxKind.ExclamationToken) {
    add(node, node.operand.getText())
  } else if (node.kind === ts.SyntaxKind.TrueKeyword) add(node, 'false')
  else if (node.kind === ts.SyntaxKind.FalseKeyword) add(node, 'true')
  else if (ts.isConditionalExpression(node)) add(node.condition, `!(${node.condition.getText()})`)
  else if (ts.isIfStatement(node)) {
    add(node.expression, 'false')
  } else if (ts.isExpressionStatement(node) && isCall(node.expression)) add(node, ';')
}

function isCall(expression: ts.Expression): boolean {
  return ts.isCallExpression(ts.isAwaitExpression(expression) ? expression.expression : expression)
}

function holdsText(node: ts.BinaryExpression): boolean {
  return [node.left, node.right].some(
    (side) =>
      ts.isStringLiteralLike(side) ||
      ts.isTemplateExpression(side) ||
      (ts.isBinaryExpression(side) && holdsText(side))
  )
}

/** A source with the change of a mutant. */
export function mutated(text: string, { start, end, replacement }: Mutant): string {
  return text.slice(0, start) + replacement + text.slice(end)
}
