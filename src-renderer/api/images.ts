import type { imageEndpoints } from '../../src-main/workbench/images/endpoints.ts'
import { windowCalls } from './client.ts'

const { call } = windowCalls<typeof imageEndpoints>()

/**
 * Stores an image for messages.
 * @param name of its file
 * @returns the key for contents
 */
export function uploadImage(image: Blob, name: string): Promise<{ key: string }> {
  return call('POST /images', { query: { name: name.slice(0, 255) || 'image' }, body: image })
}
