/** What the files are called that contacts are read from, as they are or in an archive. */
export const contactExtensions = ['csv', 'tsv', 'tab', 'txt', 'xlsx', 'ods', 'vcf', 'vcard']
