const maxPixels = 1200
/** In bytes: smaller images of suitable width stay unchanged. */
const enoughBytes = 300_000
/** In bytes: a larger PNG becomes a JPEG. */
const maxExactBytes = 1_000_000
const safeTypes = ['image/png', 'image/jpeg', 'image/gif']

export interface ShrunkImage {
  image: Blob
  /** In pixels. */
  width: number
}

/**
 * A picture as small as a message needs it, since each recipient gets all of it: a photo of 6 MB becomes one of some 200 kB.
 * What mail programs do not show (WebP, AVIF, SVG) becomes PNG. Pictures that move stay as they are.
 * @throws when the file is no picture that this browser can read
 */
export async function shrinkImage(file: File): Promise<ShrunkImage> {
  const image = await read(file)
  const asItIs = { image: file, width: image.naturalWidth }
  if (file.type === 'image/gif') return asItIs
  const scale = Math.min(1, maxPixels / image.naturalWidth)
  if (scale === 1 && file.size <= enoughBytes && safeTypes.includes(file.type)) return asItIs
  const canvas = document.createElement('canvas')
  canvas.width = Math.max(1, Math.round(image.naturalWidth * scale))
  canvas.height = Math.max(1, Math.round(image.naturalHeight * scale))
  canvas.getContext('2d')?.drawImage(image, 0, 0, canvas.width, canvas.height)
  const type = file.type === 'image/jpeg' ? 'image/jpeg' : 'image/png'
  const exact = await written(canvas, type)
  // A photo as PNG is several times as large without a visible difference.
  const shrunk = exact && exact.size > maxExactBytes ? await onWhite(canvas) : exact
  const isBetter = shrunk !== null && (shrunk.size < file.size || !safeTypes.includes(file.type))
  return isBetter ? { image: shrunk, width: canvas.width } : asItIs
}

function written(canvas: HTMLCanvasElement, type: string): Promise<Blob | null> {
  return new Promise((resolve) => canvas.toBlob(resolve, type, 0.85))
}

function onWhite(canvas: HTMLCanvasElement): Promise<Blob | null> {
  const context = canvas.getContext('2d')
  if (context) {
    context.globalCompositeOperation = 'destination-over'
    context.fillStyle = 'white'
    context.fillRect(0, 0, canvas.width, canvas.height)
  }
  return written(canvas, 'image/jpeg')
}

function read(file: File): Promise<HTMLImageElement> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader()
    reader.onload = () => {
      const image = new Image()
      image.onload = () => resolve(image)
      image.onerror = () => reject(new Error(`${file.name} is not an image that can be shown`))
      image.src = reader.result as string
    }
    reader.onerror = () => reject(reader.error ?? new Error(`${file.name} could not be read`))
    reader.readAsDataURL(file)
  })
}
