import { parse } from 'vue/compiler-sfc'

/** @returns the script of a component as a module, with every line at its number in the component */
export function moduleOf(component: string): string {
  const { scriptSetup } = parse(component).descriptor
  if (!scriptSetup) throw new Error('A component has a <script setup>.')
  const { content, loc, attrs } = scriptSetup
  // A generic type parameter becomes its widest type.
  const [, name, widest = 'unknown'] = /^(\w+)(?: extends (.+))?$/.exec(String(attrs['generic'] ?? '')) ?? []
  const generic = name ? `type ${name} = ${widest};` : ''
  return `${'\n'.repeat(loc.start.line - 1)}${generic}${content}\nexport {}\n`
}
