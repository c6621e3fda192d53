import { createHash } from 'node:crypto'

// Who gets which content follows from the ids and from bounds that are drawn once, so that a delivery that goes on after a
// crash decides the same.

/** A number from 0 to 1 that is as good as drawn at random, and always the same for a recipient of a campaign. */
export function drawOf(campaignId: number, subscriberId: number): number {
  return createHash('md5').update(`${campaignId} ${subscriberId}`).digest().readUIntBE(0, 6) / 2 ** 48
}

/** For each content, by id, the upper bound of its draws. Draws above the last bound are not tested. */
export type Shares = readonly number[]

/**
 * Draws who gets which content, exact to the nearest recipient: no content with a share of at least one goes untested
 * (docs/api.md, "Campaigns").
 * @param draws of all recipients, in any order
 * @param contents how many there are
 * @param percentage of the recipients who are tested, 0 to 100
 */
export function drawShares(draws: Float64Array, contents: number, percentage: number): Shares {
  const sorted = draws.toSorted()
  const tested = Math.round((sorted.length * percentage) / 100)
  return Array.from({ length: contents }, (_, index) => {
    const below = Math.floor((tested * (index + 1)) / contents)
    // If all recipients are in the test, the last share has no upper bound.
    return sorted[below] ?? 1
  })
}

/** Like {@link drawShares} for an unknown number of recipients, where it need not be exact. */
export function evenShares(contents: number, percentage: number): Shares {
  return Array.from({ length: contents }, (_, index) => ((index + 1) / contents) * (percentage / 100))
}

/** Returns the index of the tested content; null = not tested. */
export function testedContent(shares: Shares, draw: number): number | null {
  const place = shares.findIndex((bound) => draw < bound)
  return place < 0 ? null : place
}
