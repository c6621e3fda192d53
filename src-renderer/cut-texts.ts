/** Shows the full text of truncated elements on hover, anywhere in the window. */
export function showCutTexts(): void {
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
