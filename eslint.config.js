import prettier from 'eslint-config-prettier'
import vue from 'eslint-plugin-vue'
import tseslint from 'typescript-eslint'

export default tseslint.config(
  { ignores: ['out/', 'node_modules/', '.nuxt-ui/', 'eslint.config.js', 'tools/'] },
  ...tseslint.configs.recommendedTypeChecked,
  ...vue.configs['flat/recommended'],
  {
    languageOptions: {
      parserOptions: {
        parser: tseslint.parser,
        projectService: true,
        tsconfigRootDir: import.meta.dirname,
        extraFileExtensions: ['.vue']
      }
    },
    rules: {
      '@typescript-eslint/no-non-null-assertion': 'error',
      '@typescript-eslint/no-floating-promises': 'error',
      // { id: _, ...rest } leaves a property out.
      '@typescript-eslint/no-unused-vars': ['error', { ignoreRestSiblings: true }],
      // Fastify's plugins and routes are async by contract, whether or not they wait for anything.
      '@typescript-eslint/require-await': 'off',
      'no-restricted-imports': [
        'error',
        { paths: [{ name: 'electron', message: 'Only src-main/desktop imports electron.' }] }
      ],
      'vue/multi-word-component-names': 'off',
      // A prop with ? in its type is left out on purpose; its absence means something.
      'vue/require-default-prop': 'off'
    }
  },
  {
    files: ['src-main/desktop/**/*.ts', 'test/desktop/**/*.ts'],
    rules: { 'no-restricted-imports': 'off' }
  },
  prettier
)
