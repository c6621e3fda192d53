import ui from '@nuxt/ui/vite'
import vue from '@vitejs/plugin-vue'
import { defineConfig } from 'electron-vite'
import { resolve } from 'node:path'

/** Every file that is started by name: the two shells and the threads. */
const entries = [
  'desktop/main',
  'headless/serve',
  'headless/start',
  'database/writer-thread',
  'imports/import-thread'
]

export default defineConfig({
  main: {
    build: {
      outDir: 'out/main',
      rollupOptions: {
        input: Object.fromEntries(
          entries.map((entry) => [entry, resolve('src-main', `${entry}.ts`)])
        ),
        // One output file per source file, so that a thread's entry lies beside the module that starts it.
        output: {
          format: 'es',
          preserveModules: true,
          preserveModulesRoot: resolve('src-main'),
          entryFileNames: '[name].js'
        }
      }
    }
  },
  renderer: {
    root: 'src-renderer',
    build: {
      outDir: resolve('out/renderer'),
      rollupOptions: { input: resolve('src-renderer/index.html') }
    },
    plugins: [
      vue(),
      ui({
        ui: {
          colors: { primary: 'indigo', neutral: 'slate' }
        }
      })
    ]
  }
})
