/** Where a secret is kept: by the desktop's own storage, the system's keyring, or a file of its owner's. */
export const credentialPlaces = ['desktop', 'keyring', 'file'] as const
export type CredentialPlace = (typeof credentialPlaces)[number]
