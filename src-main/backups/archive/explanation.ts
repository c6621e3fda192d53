/** README.txt of an archive. */
export const explanation = `This archive holds everything of a Listwright installation as plain text.

subscribers/   The subscribers of each list as CSV (UTF-8, comma-separated, with a header), for other programs and
               for spreadsheets. Listwright can import each of these files into a list.
data/          Everything, one file for each kind of record: a JSON array with one record on each line. Times are
               milliseconds since 1970 (UTC), binary data is in base64, and values that are null are left out.
manifest.json  How many records each file of data/ holds, and a digest (checksum) that reveals changes.

To use the archive on another computer:

    listwright backup import FILE
    listwright backup restore NAME

or, in the app, Backups > Import a backup, then restore that backup. Listwright reads data/ only, and refuses files that were changed.

The archive holds the personal data of all subscribers, and hashes of passwords and API keys. Keep it as safe as the
installation itself. It does not contain uploaded files, import logs or messages in the outbox.
`
