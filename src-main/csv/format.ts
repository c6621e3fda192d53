/** The format of records in a file, in the API's terms. */
export interface CsvFormat {
  /** One character; a literal tab. */
  csv_field_separator: string
  csv_field_enclosure: string
}

export interface CsvFileFormat extends CsvFormat {
  csv_has_headers: boolean
  /** "UTF-8" or "ISO-8859-1", in any letter case. */
  character_set: string
  /** Records that begin before this line are none; left out for all. */
  first_line?: number
}
