import ui from '@nuxt/ui/vite'
import vue from '@vitejs/plugin-vue'
import { defineConfig } from 'electron-vite'
import { Resvg } from '@resvg/resvg-js'
import { globSync, readFileSync } from 'node:fs'
import { basename, resolve } from 'node:path'
import type { Plugin } from 'vite'
import { helpPages } from './tools/help-pages.ts'
import { licences } from './tools/licences.ts'

/** Every file that is started by name: the application, which tests start in their own process, its shells and its threads. */
const entries = [
  'app',
  'desktop/main',
  'headless/listwright',
  ...globSync('**/*-thread.ts', { cwd: 'src-main' }).map((path) =>
    path.replaceAll('\\', '/').slice(0, -'.ts'.length)
  )
]

/** The icon as the tray shows it, in pixels: twice what most desktops draw. */
const trayWidth = 32

function trayIcon(): Plugin {
  return {
    name: 'tray-icon',
    generateBundle() {
      const svg = readFileSync('resources/icon.svg')
      const source = new Resvg(svg, { fitTo: { mode: 'width', value: trayWidth } }).render().asPng()
      this.emitFile({ type: 'asset', fileName: 'tray.png', source })
    }
  }
}

/** Native code cannot be bundled. */
const native = ['better-sqlite3', '@napi-rs/keyring']

/** Modules of charts: large, and needed by few pages. */
const ofCharts = /src-renderer[\\/]components[\\/]charts|node_modules[\\/](vue-echarts|echarts|zrender)[\\/]/

export default defineConfig({
  main: {
    plugins: [licences({ external: native }), trayIcon()],
    build: {
      outDir: 'out/main',
      // Libraries are bundled too: a start reads a few dozen files instead of a thousand.
      externalizeDeps: false,
      rollupOptions: {
        input: Object.fromEntries(
          entries.map((entry) => [basename(entry), resolve('src-main', `${entry}.ts`)])
        ),
        external: [...native, 'electron'],
        // All in one folder: a thread's entry lies beside whatever module starts it.
        output: {
          format: 'es',
          entryFileNames: '[name].js',
          chunkFileNames: '[name]-[hash].js',
          // Licences are in a file of their own.
          comments: { legal: false, jsdoc: false },
          // Keep names, so that stack traces are readable.
          minify: { compress: false, mangle: false, codegen: { removeWhitespace: true } }
        }
      }
    }
  },
  renderer: {
    root: 'src-renderer',
    build: {
      outDir: resolve('out/renderer'),
      minify: true,
      // MJML, which is loaded when somebody writes a message.
      chunkSizeWarningLimit: 1800,
      rollupOptions: {
        input: resolve('src-renderer/index.html'),
        output: {
          // A page made of many small files appears later than one made of a few that contain more than it needs.
          codeSplitting: {
            groups: [{ name: 'shared', minShareCount: 2, test: (id) => !ofCharts.test(id) }]
          }
        }
      }
    },
    plugins: [
      // The API's server serves the window, and /lists/1 loads the same files as /: their addresses are absolute, where
      // electron-vite would make them relative for file:// pages.
      { name: 'absolute-addresses', enforce: 'post', config: () => ({ base: '/' }) },
      helpPages(),
      licences({ hasStyles: true }),
      vue(),
      ui({
        root: import.meta.dirname,
        autoImport: false,
        components: { dts: resolve('src-renderer/components.d.ts') },
        // Icons stand in the bundle, so that none is fetched.
        icon: { clientBundle: { scan: { globInclude: ['src-renderer/**/*.{vue,ts}'] } } },
        ui: { colors: { primary: 'indigo', neutral: 'slate' } }
      })
    ]
  }
})
