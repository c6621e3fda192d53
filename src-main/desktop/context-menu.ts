import { app, clipboard, Menu, type MenuItemConstructorOptions } from 'electron'
import { texts } from './texts.ts'

/** Adds context menus with spelling suggestions and commands for texts and links. */
export function offerContextMenus(): void {
  app.on('web-contents-created', (_event, contents) => {
    contents.on(
      'context-menu',
      (_event, { dictionarySuggestions, editFlags, isEditable, linkURL, selectionText }) => {
        const items: MenuItemConstructorOptions[] = [
          ...dictionarySuggestions.map((word) => ({
            label: word,
            click: () => contents.replaceMisspelling(word)
          })),
          ...(dictionarySuggestions.length > 0 ? [{ type: 'separator' as const }] : []),
          ...(isEditable ? [{ role: 'cut' as const, enabled: editFlags.canCut }] : []),
          ...(isEditable || selectionText !== ''
            ? [{ role: 'copy' as const, enabled: editFlags.canCopy }]
            : []),
          ...(isEditable
            ? [{ role: 'paste' as const, enabled: editFlags.canPaste }, { role: 'selectAll' as const }]
            : []),
          ...(linkURL === ''
            ? []
            : [{ label: texts().copyLink, click: () => void clipboard.writeText(linkURL) }])
        ]
        if (items.length > 0) Menu.buildFromTemplate(items).popup()
      }
    )
  })
}
