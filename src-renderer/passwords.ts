/** Characters that the window asks of a new password; the API takes any. */
export const shortestPassword = 8
