import prettier from 'eslint-config-prettier'
import vue from 'eslint-plugin-vue'
import tseslint from 'typescript-eslint'

const electronAlone = { name: 'electron', message: 'Only src-main/desktop imports electron.' }

/** The folders of src-main, each of which may import from those before it alone; see ARCHITECTURE.md. */
const layers = [
  'base',
  'csv',
  'database',
  'jobs',
  'http',
  'settings',
  'remote-databases',
  'public-pages',
  'gates',
  'api',
  'remote-lists',
  'segments',
  'contact-files',
  'imports',
  'suppression',
  'exports',
  'bulk-actions',
  'undo',
  'delivery',
  'receiving',
  'webhooks',
  'write-back',
  'sync',
  'integrity',
  'salvage',
  'backups',
  'tracking',
  'workbench',
  // The receiver on a server of its own.
  'gate',
  // What puts them together: app.ts and what lies beside it.
  '.',
  'headless',
  'desktop'
]

/** What lies directly in src-main, which only the shells import. */
const assembly = '[^/]+\\.ts$'

/** A path in a regular expression between slashes. */
const escaped = (path) => path.replaceAll('.', '\\.').replaceAll('/', '\\/')

const layerMessage = 'A folder of src-main imports only from those below it; see ARCHITECTURE.md.'

/** No import leads up: for the files of a folder, and for those of the folders in it. */
const layerRules = layers.flatMap((layer, index) => {
  const above = layers.slice(index + 1).map((name) => (name === '.' ? assembly : `${name}/`))
  if (above.length === 0) return []
  const inside = layer === '.' ? ['.'] : ['..', '../..']
  return inside.map((up, depth) => ({
    files: [`src-main/${layer === '.' ? '' : `${layer}/`}${'*/'.repeat(depth)}*.ts`],
    rules: {
      'no-restricted-imports': [
        'error',
        {
          paths: [electronAlone],
          patterns: [{ regex: `^${escaped(up)}/(${above.join('|')})`, message: layerMessage }]
        }
      ],
      // The rule above does not see dynamic imports.
      'no-restricted-syntax': [
        'error',
        {
          selector: `ImportExpression[source.value=/^${escaped(up)}\\/(${above.map((name) => name.replaceAll('/', '\\/')).join('|')})/]`,
          message: layerMessage
        }
      ]
    }
  }))
})

/** What the window does not import of the server: code that runs there. */
const serverCode = {
  regex:
    '/src-main/([^/]+\\.ts$|(csv|remote-databases|remote-lists|database|jobs|segments|imports|suppression|exports|bulk-actions|undo|delivery|receiving|gates|gate|public-pages|tracking|webhooks|write-back|sync|integrity|salvage|backups|settings|headless|desktop|workbench)/(?!(.*/)?(endpoints|schema|rules)\\.ts$)|http/(?!(access|caller|endpoint|envelope)\\.ts$)|.*/(commands|queries|routes|tables)\\.ts$)',
  message: 'The window imports endpoints, schemas, rules and types; for everything else it asks the server.'
}

/** The folders of the window, each of which may import from those before it alone. */
const windowLayers = ['api', 'model', 'stores', 'composables', 'components', 'pages']

const windowLayerRules = windowLayers.slice(0, -1).map((layer, index) => ({
  files: [`src-renderer/${layer}/**/*.{ts,vue}`],
  rules: {
    'no-restricted-imports': [
      'error',
      {
        paths: [electronAlone],
        patterns: [
          serverCode,
          {
            regex: `^(\\.\\./)+(${windowLayers.slice(index + 1).join('|')})/`,
            message: 'A folder of the window imports only from those below it; see ARCHITECTURE.md.'
          }
        ]
      }
    ]
  }
}))

export default tseslint.config(
  { ignores: ['out/', 'node_modules/', '.nuxt-ui/', '.components/', 'eslint.config.js', 'tools/*.mjs'] },
  // The rules that need types are oxlint's (.oxlintrc.json): ESLint takes minutes for them.
  ...tseslint.configs.recommended,
  ...vue.configs['flat/recommended'],
  {
    languageOptions: {
      parserOptions: { parser: tseslint.parser, extraFileExtensions: ['.vue'] }
    },
    rules: {
      '@typescript-eslint/no-non-null-assertion': 'error',
      // { id: _, ...rest } leaves a property out.
      '@typescript-eslint/no-unused-vars': ['error', { ignoreRestSiblings: true }],
      'no-restricted-imports': ['error', { paths: [electronAlone] }],
      'vue/multi-word-component-names': 'off',
      // A prop with ? in its type is left out on purpose; its absence means something.
      'vue/require-default-prop': 'off'
    }
  },
  ...layerRules,
  {
    // What an endpoint is belongs to those who call it as well.
    files: ['src-main/**/endpoints.ts', 'src-main/*/**/schema.ts'],
    ignores: ['src-main/database/schema.ts'],
    rules: {
      'no-restricted-syntax': [
        'error',
        {
          selector:
            'ImportDeclaration[source.value=/^(node:|fastify|kysely|better-sqlite3)|\\/(commands|queries|routes|tables|serve|server)\\.ts$/]',
          message: 'Endpoints and schemas are declared without code of the server.'
        }
      ]
    }
  },
  {
    files: ['src-renderer/**/*.{ts,vue}'],
    rules: { 'no-restricted-imports': ['error', { paths: [electronAlone], patterns: [serverCode] }] }
  },
  ...windowLayerRules,
  {
    files: ['src-main/desktop/**/*.ts', 'test/desktop/**/*.ts'],
    rules: { 'no-restricted-imports': 'off' }
  },
  prettier
)
