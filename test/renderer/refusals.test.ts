import { globSync, readFileSync } from 'node:fs'
import ts from 'typescript'
import { refusal, type Rule } from '../../src-main/base/refusal.ts'
import { english } from '../../src-main/base/refusals/english.ts'
import { german, germanTerms } from '../../src-main/base/refusals/german.ts'
import { ApiFailure } from '../../src-renderer/api/client.ts'
import { setRefusalLanguage } from '../../src-renderer/api/refusal-language.ts'
import { refusalAtField } from '../../src-renderer/api/refusal-text.ts'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { patternsOf, setStoredRefusalLanguage, translated } from '../../src-renderer/api/refusals.ts'
import { inLanguage, reasonInLanguage, sentenceOf } from '../../src-renderer/api/sentence.ts'
import { i18n } from '../../src-renderer/i18n.ts'
import de from '../../src-renderer/locales/de.json'
import germanPatterns from '../../src-renderer/locales/de.refusals.json'

/** What the window cannot cause, or does not show: programs and the command line meet it, and get English. */
const forPrograms = [
  // Whether it is composed of a complaint that has a sentence of its own is looked at where it is made.
  /^[\w.]*(?:\{\})?[\w.]* \{\}\.?$|^Line \{\} of \{\} \{\}\.$/,
  /^\{\} must be \{\}(?:, and "\{\}" is not one)?$/,
  /^(?:terms_and_conditions_version|permissions\.|autoresponders\.api|time_zone |database_connection_id and|segmentation_criteria_remote_sql|a Remote List has no segments|only one of segmentation|dispatch_attributes: only one|contents\.\{\}\.id)/,
  /^\{\}\.mailing_list_id must be the id/,
  /^(?:page|per_page|page_token|start_date|sort\.by|ip|token|autoresponder_\w+)\b/,
  /^\{\}(?:\.type)? must be (?:a day such as 20140131|in_mailing_list)/,
  /X-Passphrase|Authorization header|127\.0\.0\.1|requests from other web pages/,
  /^(?:dry run|deletion of|web form|pending subscription|suppress|subscriber (?:import|export)|seed list|deleted list|mailing list|bounce email|database connection|custom field|bulk action|change|the file of subscriber export|the subscriber of this token)\b[^,]*$/,
  /^(?:the request body must be a JSON object|batch \{\} of import|what was recovered was not counted|The file \{\} already exists)/,
  /^(?:a look at both sides|version must be that of the terms|at most \{\} ids|\{\} is not asking that|an export was answered|No restore was prepared|content \{\} is not part|mailing list \{\} is a Remote List)/,
  /^(?:The data cannot be used as it is|\{\} was written by another version of Listwright, which alone|\{\} was not read|The database \{\} is)/
]

/** Sentences that are put together from other words than names, and how they end up. */
const completed: Record<string, string[]> = {
  'another record has its name by now. {} that one first': ['Rename', 'Delete'].map(
    (remedy) => `another record has its name by now. ${remedy} that one first`
  ),
  '{} did not accept this key{}': ['X7 did not accept this key', 'X7 did not accept this key: X7'],
  'the file has {} {}, and column_mapping expects email in column {}. Is the separator right?': [
    'the file has 1 column, and column_mapping expects email in column 2. Is the separator right?',
    'the file has 2 columns, and column_mapping expects email in column 3. Is the separator right?'
  ],
  '{} cannot be deleted: it {} {}': [
    'Loyal cannot be deleted: it is used by campaign 1 (X7)',
    'Spring cannot be deleted: it is asked for by segment 1 (X7)'
  ],
  '{} that is {} cannot be {}': [
    'an import that is paused cannot be paused',
    'an export that is finished cannot be cancelled'
  ],
  '{} while many subscribers are being changed; try again in a moment': [
    'options cannot lose "X7" while many subscribers are being changed; try again in a moment',
    'field_type cannot change from text to date while many subscribers are being changed; try again in a moment'
  ],
  '{} while subscribers have a value': [
    'field_type cannot change from text to date while subscribers have a value'
  ],
  '{} while subscribers have it; give the option another name instead': [
    'options cannot lose "X7" while subscribers have it; give the option another name instead'
  ],
  '{} is the last active system administrator and {}': [
    'Ada is the last active system administrator and cannot be deleted',
    'Ada is the last active system administrator and must stay active and a system administrator'
  ],
  'contents.{}.{} cannot be blank{}': [
    'contents.0.html cannot be blank',
    'contents.0.html cannot be blank when the format is html'
  ],
  'a campaign {}': [
    'a campaign that is paused already cannot be paused',
    'a campaign that is not paused cannot be resumed',
    'a campaign that is sent cannot be cancelled'
  ],
  'must be a JSON object': ['Line 7 of X7 must be a JSON object.'],
  'has an unknown property "{}"': ['Line 7 of X7 has an unknown property "X7".'],
  'has a value of "{}" that {}': ['Line 7 of X7 has a value of "X7" that is not a number.'],
  'is not {}': ['Line 7 of X7 has a value of "X7" that is not a number.']
}

/** Who refuses something with a sentence, by the functions and classes that are called for it. */
const refuses =
  /^(?:validationFailed|ApiError|ImportFailure|RemoteFault|Question|ValueFault|notFound|faults\.add)$/
/** Folders whose other errors are shown in the window as well. */
const shown = /src-main\/(?:backups|imports|workbench)\//

function templateOf(node: ts.Expression): string | null {
  if (ts.isStringLiteral(node) || ts.isNoSubstitutionTemplateLiteral(node)) return node.text
  if (ts.isTemplateExpression(node))
    return node.head.text + node.templateSpans.map(({ literal }) => `{}${literal.text}`).join('')
  if (!ts.isBinaryExpression(node) || node.operatorToken.kind !== ts.SyntaxKind.PlusToken) return null
  const [left, right] = [templateOf(node.left), templateOf(node.right)]
  return left === null || right === null ? null : left + right
}

/** As it is read in the end. */
function asSaid(name: string, text: string): string {
  if (name === 'notFound') return `${text} was not found`
  return name === 'ValueFault' ? `{} ${text}` : text
}

function refusalsOf(path: string): string[] {
  const source = ts.createSourceFile(path, readFileSync(path, 'utf8'), ts.ScriptTarget.Latest, true)
  const found: string[] = []
  const visit = (node: ts.Node): void => {
    if (ts.isCallExpression(node) || ts.isNewExpression(node)) {
      const name = node.expression.getText()
      if (refuses.test(name) || (name === 'Error' && shown.test(path)))
        for (const argument of node.arguments ?? []) {
          const choices = ts.isConditionalExpression(argument)
            ? [argument.whenTrue, argument.whenFalse]
            : [argument]
          for (const choice of choices) {
            const text = templateOf(choice)
            if (text !== null && /[a-z] [a-z{]/.test(text)) found.push(asSaid(name, text))
          }
        }
    }
    ts.forEachChild(node, visit)
  }
  visit(source)
  return found
}

const sources = globSync('src-main/**/*.ts').map((path) => path.replaceAll('\\', '/'))
const nameOf = (part: string): string => part

describe('what is refused, in German', () => {
  beforeAll(() => {
    ;(
      i18n.global as unknown as { setLocaleMessage: (language: string, texts: typeof de) => void }
    ).setLocaleMessage('de', de)
    i18n.global.locale.value = 'de' as 'en'
    setStoredRefusalLanguage({ ...patternsOf(german), ...germanPatterns })
    setRefusalLanguage('de', { sentences: german, terms: germanTerms })
  })
  afterAll(() => {
    i18n.global.locale.value = 'en'
    setStoredRefusalLanguage({})
    setRefusalLanguage('en', { sentences: english, terms: {} })
  })

  it('has a sentence for everything that the window can meet', () => {
    const refusals = new Set(
      sources.filter((path) => !/src-main\/(?:desktop|headless)\//.test(path)).flatMap(refusalsOf)
    )
    expect(refusals.size).toBeGreaterThan(50)
    const untold = [...refusals].filter(
      (text) =>
        !forPrograms.some((pattern) => pattern.test(text)) &&
        (completed[text] ?? [text.replaceAll('{}', 'X7')]).some(
          (sentence) => translated(sentence, nameOf) === null
        )
    )
    expect(untold).toEqual([])
  })

  it('has no sentence that is no longer used', () => {
    const all = [...sources, ...globSync('src-renderer/**/*.ts')]
      .map((path) => readFileSync(path, 'utf8'))
      .join('\n')
      // Sentences are joined from several lines.
      .replaceAll(/['`]\s*\+\s*['`]/g, '')
    const pairs = (english: string): string[] =>
      english
        .replace('@', '')
        .split(/\{\d[…*]?\}|[".:;]/)
        .flatMap((part) => {
          const words = part.trim().split(' ')
          return words.slice(1).map((word, index) => `${words[index]} ${word}`)
        })
    // Some are put together from parts, at whose joints two words meet that stand nowhere else.
    const strangers = (english: string): number => pairs(english).filter((pair) => !all.includes(pair)).length
    expect(Object.keys(germanPatterns).filter((english) => strangers(english) > 2)).toEqual([])
  })

  it('puts nothing in its place that English does not have', () => {
    const params = (of: string): string[] =>
      [...new Set(of.replaceAll(/[…*]\}/g, '}').match(/\{\w+\}/g))].sort()
    for (const [sentence, text] of Object.entries(germanPatterns)) {
      expect(params(sentence), sentence).toEqual(expect.arrayContaining(params(text)))
    }
    for (const rule of Object.keys(english) as Rule[]) {
      expect(params(english[rule]), rule).toEqual(expect.arrayContaining(params(german[rule])))
    }
  })

  it.each([
    ['name cannot be blank', 'Name darf nicht leer sein.'],
    ['This cannot be blank', 'Dieses Feld darf nicht leer sein.'],
    ['contents.0.subject cannot be blank', 'Betreff (1) darf nicht leer sein.'],
    [
      'City must be one of Wien, Graz, and "Linz, cannot be blank" is not one',
      'City muss eines davon sein: Wien, Graz. „Linz, cannot be blank“ gehört nicht dazu.'
    ],
    [
      'email is not a valid email address: "x", City cannot be blank',
      'E-Mail ist keine gültige E-Mail-Adresse: „x“. City darf nicht leer sein.'
    ],
    [
      'the disk is full. Free some space, then continue the import',
      'Der Datenträger ist voll. Schaffen Sie Platz, und setzen Sie den Import dann fort.'
    ],
    [
      'The server cannot be reached: nothing answers at this address',
      'The server ist nicht zu erreichen: Unter dieser Adresse antwortet nichts.'
    ],
    [
      'Age must be a whole number, and "x" is not one, Name cannot be blank',
      'Age muss eine ganze Zahl sein, und „x“ ist keine. Name darf nicht leer sein.'
    ],
    [
      'City must be one of red, green, Name cannot be blank',
      'City muss eines davon sein: red, green. Name darf nicht leer sein.'
    ],
    [
      'Name cannot be blank, an unknown sentence, Age cannot be blank',
      'Name cannot be blank, an unknown sentence, Age cannot be blank.'
    ],
    ['constructor cannot be blank', 'Constructor darf nicht leer sein.'],
    ['Age must be a whole number, and "" is not one', 'Age muss eine ganze Zahl sein, und „“ ist keine.'],
    [
      'The folder /mnt/list_copies is missing. Connect the drive it is on, or set up the copies again.',
      'Der Ordner /mnt/list_copies fehlt. Schließen Sie sein Laufwerk an, oder richten Sie die Kopien neu ein.'
    ],
    ['mailing list 7 was not found', 'Liste 7 gibt es nicht oder nicht mehr.'],
    [
      'Loyal cannot be deleted: it is used by campaign 1 (Spring), template 2 (Letter)',
      'Loyal kann nicht gelöscht werden: Es wird verwendet von Kampagne 1 (Spring), Vorlage 2 (Letter).'
    ],
    ['nobody knows this sentence', 'Nobody knows this sentence.']
  ])('%s', (message, sentence) => {
    expect(sentenceOf(message)).toBe(sentence)
  })

  it.each([
    ['email is not a valid email address', 'E-Mail ist keine gültige E-Mail-Adresse'],
    ['Age must be a whole number, and … is not one', 'Age muss eine ganze Zahl sein, und „…“ ist keine'],
    ['Age cannot be blank', 'Age darf nicht leer sein'],
    ['nobody knows this reason', 'nobody knows this reason']
  ])('has one sentence for all rows that failed for the same reason: %s', (reason, text) => {
    expect(reasonInLanguage(reason)).toBe(text)
  })

  it('stands at a field in German', () => {
    const lost = refusal('options_while_used', { field: 'options', names: 'Gold' })

    expect(refusalAtField(lost)).toBe(
      'Die Option „Gold“ kann nicht wegfallen, solange Abonnenten sie haben. Geben Sie ihr einen anderen Namen.'
    )
    expect(refusalAtField(refusal('blank', { field: 'name' }))).toBe('Dieses Feld darf nicht leer sein.')
  })

  it('leaves no English words in the sentences of rules', () => {
    const english = /\b(?:the|is|or|while|use|which|must|cannot|not|has|have)\b/
    const left = Object.values(german).filter((text) => english.test(text.replaceAll(/\{\w+\}|\w+_\w+/g, '')))

    expect(left).toEqual([])
  })

  it('names records in German', () => {
    const others = [{ kind: 'campaign', id: 1, name: 'Spring' }]

    expect(new ApiFailure('validation_failed', [refusal('used_by', { name: 'Loyal', others })]).message).toBe(
      'Loyal kann nicht gelöscht werden: Es wird verwendet von Kampagne 1 (Spring).'
    )
  })

  it('takes no longer for many refusals, known or not', () => {
    const many = Array.from({ length: 25 }, (_, index) => `Field ${index} cannot be blank`)
    expect(sentenceOf([...many, 'and 3 more'].join(', '))).toMatch(
      /Field 24 darf nicht leer sein\. Und 3 weitere\.$/
    )
    expect(sentenceOf([...many, 'something else'].join(', '))).toMatch(/something else\.$/)
    sentenceOf(`status must be one of ${'a, '.repeat(500)}b, and "x" is not one`)
  })

  it('is left in English, as it is, where it is not known', () => {
    expect(inLanguage('nobody knows this sentence')).toBe('nobody knows this sentence')
  })
})
