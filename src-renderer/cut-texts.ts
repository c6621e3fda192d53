/** Tells the whole of a text that is cut for want of space when it is pointed at, wherever it stands in the window. */
export function tellCutTexts(): void {
  document.addEventListener('mouseover', ({ target }) => {
    const shown = target instanceof Element ? target.closest<HTMLElement>('.truncate') : null
    if (!shown) return
    const isOurs = shown.dataset['cut'] !== undefined
    if (shown.title !== '' && !isOurs) return
    const isCut = shown.scrollWidth > shown.clientWidth
    if (!isCut && !isOurs) return
    shown.dataset['cut'] = ''
    shown.title = isCut ? shown.textContent.trim() : ''
  })
}
