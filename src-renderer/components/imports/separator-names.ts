/** The names in locales/ of the characters that part columns. */
export const separatorNames = { ',': 'comma', '\t': 'tab', ';': 'semicolon', '|': 'pipe' } as const
