/** First parts of the addresses that are no pages of the window: the API, the window's calls, the API reference, images and links of messages. */
export const servedPrefixes = ['ga', 'app', 'docs', 'c', 'i', 'o', 'u', 'w'] as const
