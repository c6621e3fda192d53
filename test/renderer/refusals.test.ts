import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Refusal, refusal, type Rule } from '../../src-main/base/refusal.ts'
import { english } from '../../src-main/base/refusals/english.ts'
import { refusalLanguages } from '../../src-main/base/refusals/languages.ts'
import { german, germanTerms } from '../../src-main/base/refusals/german.ts'
import { withoutCell } from '../../src-main/imports/row-faults.ts'
import { ApiFailure } from '../../src-renderer/api/client.ts'
import { setRefusalLanguage } from '../../src-renderer/api/refusal-language.ts'
import { refusalAtField, refusalSentence } from '../../src-renderer/api/refusal-text.ts'
import { i18n } from '../../src-renderer/i18n.ts'
import de from '../../src-renderer/locales/de.json'

const rules = Object.keys(english) as Rule[]

describe.each(Object.entries(refusalLanguages).filter(([language]) => language !== 'en'))(
  'the sentences of refusals in %s',
  (_language, { sentences }) => {
    it('have no param that English lacks', () => {
      const params = (of: string): string[] => [...new Set(of.match(/\{\w+\}/g))].sort()

      for (const rule of rules)
        expect(params(english[rule]), rule).toEqual(expect.arrayContaining(params(sentences[rule])))
    })

    it('have no English words', () => {
      const words = /\b(?:the|is|or|while|use|which|must|cannot|not|has|have)\b/
      const left = Object.values(sentences).filter((text) =>
        words.test(text.replaceAll(/\{\w+\}|\w+_\w+/g, ''))
      )

      expect(left).toEqual([])
    })
  }
)

describe('a refusal in German', () => {
  beforeAll(() => {
    ;(
      i18n.global as unknown as { setLocaleMessage: (language: string, texts: typeof de) => void }
    ).setLocaleMessage('de', de)
    i18n.global.locale.value = 'de' as 'en'
    setRefusalLanguage('de', { sentences: german, terms: germanTerms })
  })
  afterAll(() => {
    i18n.global.locale.value = 'en'
    setRefusalLanguage('en', { sentences: english, terms: {} })
  })

  const sentences: [Refusal, string][] = [
    [refusal('blank', { field: 'name' }), 'Name darf nicht leer sein.'],
    [refusal('blank', { field: 'contents.0.subject' }), 'Betreff (1) darf nicht leer sein.'],
    [refusal('blank', { field: 'constructor' }), 'Constructor darf nicht leer sein.'],
    [
      refusal('not_one_of', { field: 'City', values: ['Wien', 'Graz'], value: 'Linz, cannot be blank' }),
      'City muss eines davon sein: Wien, Graz. „Linz, cannot be blank“ gehört nicht dazu.'
    ],
    [
      refusal('several', {
        faults: [
          refusal('email_address', { field: 'email', email: 'x' }),
          refusal('blank', { field: 'City' })
        ]
      }),
      'E-Mail ist keine gültige E-Mail-Adresse: „x“. City darf nicht leer sein.'
    ],
    [
      refusal('then_continue_import', { fault: refusal('disk_full') }),
      'Der Datenträger ist voll. Schaffen Sie Platz, und setzen Sie den Import dann fort.'
    ],
    [
      refusal('server_unreachable', { host: 'api.example.com', fault: refusal('nothing_answers') }),
      'api.example.com ist nicht zu erreichen: Unter dieser Adresse antwortet nichts.'
    ],
    [refusal('no_backup', { path: 'The file' }), 'Die Datei ist keine Sicherung von Listwright.'],
    [
      refusal('folder_missing', { folder: '/mnt/list_copies' }),
      'Der Ordner /mnt/list_copies fehlt. Schließen Sie sein Laufwerk an, oder richten Sie die Kopien neu ein.'
    ],
    [refusal('record_not_found', { what: 'mailing list', id: 7 }), 'Liste 7 gibt es nicht oder nicht mehr.'],
    [
      refusal('email_contains', { field: 'email', blank: 'a tab', address: 'x' }),
      'E-Mail ist keine gültige E-Mail-Adresse, weil sie einen Tabulator enthält: „x“.'
    ],
    [
      refusal('line', { line: 3, fault: refusal('nul_byte') }),
      'Zeile 3: Die Datei enthält ein NUL-Byte, ist also keine CSV-Datei. Speichern Sie sie als CSV in UTF-8.'
    ],
    [refusal('said', { text: 'nobody knows this sentence' }), 'Nobody knows this sentence.']
  ]
  it.each(sentences)('%j: is worded with its params', (given, sentence) => {
    expect(refusalSentence(given)).toBe(sentence)
  })

  it('is the same for all rows that failed for one reason', () => {
    const reason = (fault: Refusal): string => refusalSentence(withoutCell(fault))

    expect(reason(refusal('email_address', { field: 'email', email: 'x' }))).toBe(
      'E-Mail ist keine gültige E-Mail-Adresse.'
    )
    expect(reason(refusal('not_whole_number', { field: 'Age', value: '1.5' }))).toBe(
      'Age muss eine ganze Zahl sein, und „…“ ist keine.'
    )
  })

  it('stands at a field without its name', () => {
    const lost = refusal('options_while_used', { field: 'options', names: 'Gold' })

    expect(refusalAtField(lost)).toBe(
      'Die Option „Gold“ kann nicht wegfallen, solange Abonnenten sie haben. Geben Sie ihr einen anderen Namen.'
    )
    expect(refusalAtField(refusal('blank', { field: 'name' }))).toBe('Dieses Feld darf nicht leer sein.')
  })

  it('names records in German', () => {
    const others = [{ kind: 'campaign', id: 1, name: 'Spring' }]

    expect(new ApiFailure('validation_failed', [refusal('used_by', { name: 'Loyal', others })]).message).toBe(
      'Loyal kann nicht gelöscht werden. Verwendet von: Kampagne 1 (Spring).'
    )
  })
})
