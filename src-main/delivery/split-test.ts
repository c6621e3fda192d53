import { createHash } from 'node:crypto'

// Who gets which content follows from the ids alone, so that a delivery that goes on after a crash decides the same.

/** Two numbers from 0 to 1 that are as good as drawn by lot, and always the same for a recipient of a campaign. */
function lots(campaignId: number, subscriberId: number): [number, number] {
  const digest = createHash('md5').update(`${campaignId} ${subscriberId}`).digest()
  return [digest.readUInt32BE(0) / 2 ** 32, digest.readUInt32BE(4) / 2 ** 32]
}

/** Whether a recipient belongs to those among whom the contents are tested. @param percentage 0 to 100 */
export function isTested(campaignId: number, subscriberId: number, percentage: number): boolean {
  return lots(campaignId, subscriberId)[0] * 100 < percentage
}

/** The content of a recipient; each is as likely. */
export function contentFor<Content>(
  contents: readonly [Content, ...Content[]],
  campaignId: number,
  subscriberId: number
): Content {
  const [, lot] = lots(campaignId, subscriberId)
  return contents[Math.floor(lot * contents.length)] ?? contents[0]
}
