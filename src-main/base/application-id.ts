/** By which systems know the application: its desktop entry, its installer, and what it shows in their name. */
export const applicationId = 'app.listwright.Listwright'
