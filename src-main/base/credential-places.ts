/** Where secrets are stored: in the desktop's own storage, the system's keyring, or a private file. */
export const credentialPlaces = ['desktop', 'keyring', 'file'] as const
export type CredentialPlace = (typeof credentialPlaces)[number]
