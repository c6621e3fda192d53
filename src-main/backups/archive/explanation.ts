/** README.txt of an archive. */
export const explanation = `This archive holds everything of a Listwright installation as plain text.

subscribers/   The subscribers of each list as CSV (UTF-8, comma-separated, with a header), for other programs and
               for spreadsheets. Listwright can import each of these files into a list.
data/          Everything, a file for each kind of record: JSON arrays with one record on each line. Times are
               milliseconds since 1970 (UTC), bytes are in base64, and what is not there is null.
manifest.json  How many records each file of data/ holds, and a digest by which changes are noticed.

To use the archive on another computer:

    listwright backup import FILE
    listwright backup restore NAME

or, in the window, Backups > Import an archive. Listwright reads data/ only, and refuses files that were changed.

The archive holds the personal data of all subscribers, and hashes of passwords and API keys. Keep it as safe as the
installation itself. Uploaded files, logs of imports and messages in the outbox are not in it.
`
