/** The extensions of contact files, also within archives. */
export const contactExtensions = ['csv', 'tsv', 'tab', 'txt', 'xlsx', 'ods', 'vcf', 'vcard']
