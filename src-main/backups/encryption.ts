import { refusal } from '../base/refusal.ts'
import { Decrypter, Encrypter } from 'age-encryption'
import { createHash, type Hash } from 'node:crypto'
import { createReadStream, createWriteStream } from 'node:fs'
import { rm, stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { moveDurably, partialPath } from '../base/durable.ts'
import { messageOf, ExplainedError } from '../base/errors.ts'
import { beginningOf } from '../base/file-content.ts'
import { requirePassphrase } from './passphrase.ts'
import { requireRoom } from './room.ts'

// Encrypted files are of the age format (age-encryption.org), so that they can be opened without Listwright: age --decrypt.

/** The first bytes of an encrypted file. */
const beginning = 'age-encryption.org/v1'
/** A passphrase takes about a second to try: the format's usual cost. */
const usualCost = 18
/** Bytes that are read at once. */
const chunk = 1024 * 1024

export async function isEncrypted(path: string): Promise<boolean> {
  return (await beginningOf(path, beginning.length)).toString('latin1') === beginning
}

/**
 * Encrypts a file with a passphrase. The encrypted one has its name once it is on disk and was decrypted again without a difference;
 * it takes the place of an earlier one. Takes some 10 s for a million subscribers.
 * @param cost of trying a passphrase: the binary logarithm of scrypt's N
 * @throws Error with a sentence where the passphrase is too short, there is no room, or it cannot be read back
 */
export async function encryptFile(
  path: string,
  encrypted: string,
  passphrase: string,
  cost = usualCost
): Promise<void> {
  requirePassphrase(passphrase)
  const partial = partialPath(encrypted)
  const { size } = await stat(path)
  await requireRoom('The encrypted file', size, dirname(encrypted))
  try {
    const encrypter = new Encrypter()
    encrypter.setPassphrase(passphrase.normalize())
    encrypter.setScryptWorkFactor(cost)
    const plain = createHash('sha256')
    const source = asWeb(Readable.from(hashed(createReadStream(path, { highWaterMark: chunk }), plain)))
    await pipeline(await encrypter.encrypt(source), createWriteStream(partial, { mode: 0o600 }))
    const readBack = createHash('sha256')
    await pipeline(await decrypted(partial, passphrase), readBack)
    if (!plain.digest().equals(readBack.digest()))
      throw new ExplainedError(refusal('encrypted_file_differs', { path: encrypted }))
    await moveDurably(partial, () => encrypted)
  } finally {
    await rm(partial, { force: true })
  }
}

/** Node's type of a web stream is another one than the library's; the object is the same. */
function asWeb(stream: Readable): ReadableStream<Uint8Array> {
  return Readable.toWeb(stream) as ReadableStream<Uint8Array>
}

async function* hashed(source: Readable, hash: Hash): AsyncGenerator<Buffer> {
  for await (const part of source as AsyncIterable<Buffer>) {
    hash.update(part)
    yield part
  }
}

/**
 * Decrypts an age file of any program.
 * @param path of the new file, which is deleted after an error
 * @throws Error with a sentence if the passphrase is wrong, the file was changed or is incomplete, or there
 * is no space
 */
export async function decryptFile(encrypted: string, path: string, passphrase: string): Promise<void> {
  const { size } = await stat(encrypted)
  await requireRoom('The decrypted file', size, dirname(path))
  try {
    await pipeline(await decrypted(encrypted, passphrase), createWriteStream(path, { mode: 0o600 }))
  } catch (error) {
    await rm(path, { force: true })
    throw error
  }
}

async function decrypted(path: string, passphrase: string): Promise<AsyncIterable<Uint8Array>> {
  const decrypter = new Decrypter()
  // Keyboards produce the same letter in two Unicode forms, and other programs may have encrypted with
  // either.
  for (const form of new Set([passphrase.normalize(), passphrase, passphrase.normalize('NFD')]))
    decrypter.addPassphrase(form)
  const source = createReadStream(path, { highWaterMark: chunk })
  try {
    return told(await decrypter.decrypt(asWeb(source)))
  } catch (error) {
    source.destroy()
    throw await faultOf(error, path)
  }

  async function* told(stream: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    try {
      yield* stream
    } catch (error) {
      throw await faultOf(error, path)
    }
  }
}

async function faultOf(error: unknown, path: string): Promise<Error> {
  if (error instanceof Error && 'code' in error) return error
  const header = (await beginningOf(path, 200)).toString('latin1')
  if (!header.includes('\n-> scrypt ')) return new ExplainedError(refusal('no_passphrase_file'))
  const isOpened = !messageOf(error).includes('no identity matched')
  return new ExplainedError(refusal(isOpened ? 'encrypted_file_changed' : 'wrong_passphrase'))
}
