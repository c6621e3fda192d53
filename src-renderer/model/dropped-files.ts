/** The files that were dropped, also those in folders, in the order of their names. */
export async function droppedFiles(transfer: DataTransfer): Promise<File[]> {
  // Read before the first await, after which the list is empty.
  const entries = [...transfer.items].flatMap((item) => item.webkitGetAsEntry() ?? [])
  if (entries.length === 0) return [...transfer.files]
  const files: File[] = []
  for (const entry of entries) files.push(...(await filesIn(entry)))
  return files
}

async function filesIn(entry: FileSystemEntry): Promise<File[]> {
  if (entry.isFile) {
    return [
      await new Promise<File>((resolve, reject) => (entry as FileSystemFileEntry).file(resolve, reject))
    ]
  }
  const files: File[] = []
  for (const inner of await entriesOf(entry as FileSystemDirectoryEntry))
    files.push(...(await filesIn(inner)))
  return files
}

async function entriesOf(folder: FileSystemDirectoryEntry): Promise<FileSystemEntry[]> {
  const reader = folder.createReader()
  const all: FileSystemEntry[] = []
  for (;;) {
    const some = await new Promise<FileSystemEntry[]>((resolve, reject) =>
      reader.readEntries(resolve, reject)
    )
    if (some.length === 0) break
    all.push(...some)
  }
  return all.sort((a, b) => a.name.localeCompare(b.name))
}
