/** Characters that the window asks of a new password; the API takes any. */
export const minPasswordLength = 8
