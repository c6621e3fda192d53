/**
 * The name by which systems know the application: in its desktop entry and installer, and for notifications.
 */
export const applicationId = 'app.listwright.Listwright'
