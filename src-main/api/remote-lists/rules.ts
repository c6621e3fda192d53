/** The reading_failures of a campaign that is paused because its recipients could not be read. */
export const readingGivenUp = -1
