// For tools that do not read .vue files themselves; vue-tsc does, and knows more.
declare module '*.vue' {
  import type { DefineComponent } from 'vue'
  const component: DefineComponent
  export default component
}
