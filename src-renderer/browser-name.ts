/** Programs that show windows, by a word of what they call themselves. The first that fits is meant: most name others as well. */
const browsers: [word: RegExp, name: string][] = [
  [/Listwright\/|Electron\//, 'Listwright'],
  [/Edg\//, 'Edge'],
  [/OPR\//, 'Opera'],
  [/Firefox\//, 'Firefox'],
  [/Chrome\/|Chromium\//, 'Chrome'],
  [/Safari\//, 'Safari']
]

const systems: [word: RegExp, name: string][] = [
  [/Windows/, 'Windows'],
  [/iPhone|iPad/, 'iOS'],
  [/Mac OS X/, 'macOS'],
  [/Android/, 'Android'],
  [/Linux|X11/, 'Linux']
]

/** The browser and the system that a user agent names, such as "Firefox, Linux"; '' = neither is known. */
export function browserNameOf(userAgent: string | null): string {
  const names = [browsers, systems].map((known) => known.find(([word]) => word.test(userAgent ?? ''))?.[1])
  return names.filter((name) => name !== undefined).join(', ')
}
