// On a narrow screen, sections are closed until they are opened: all of them together are too long
// to scroll through.
const Folding = {
  narrow: matchMedia('(max-width: 640px)'),
  open: new Set(['changes', 'summary']),  // from the start

  start() {
    Folding.apply()
    Folding.narrow.addEventListener('change', Folding.apply)
    // Before the browser follows the link.
    document.addEventListener('click', (event) => {
      const link = event.target.closest?.('a[href^="#"]')
      if (link) Folding.show(link.hash)
    })
    window.addEventListener('hashchange', () => Folding.show(location.hash))
    if (location.hash && Folding.show(location.hash)) Folding.sectionOf(location.hash).scrollIntoView()
  },

  sections() { return document.querySelectorAll('main > section') },

  // The section that a fragment leads into; null: none.
  sectionOf(hash) {
    const id = decodeURIComponent(hash.slice(1).split('&')[0])
    return (id && document.getElementById(id)?.closest('main > section')) || null
  },

  // Whether the section had to be opened.
  show(hash) {
    const section = Folding.sectionOf(hash)
    if (!section || Folding.open.has(section.id)) return false
    Folding.open.add(section.id)
    Folding.apply()
    return true
  },

  // Headings are buttons if there is something to open.
  apply() {
    for (const section of Folding.sections()) {
      const heading = section.querySelector('h2')
      const isOpen = Folding.open.has(section.id)
      section.classList.toggle('closed', Folding.narrow.matches && !isOpen)
      const button = heading.querySelector('.fold')
      if (button) button.setAttribute('aria-expanded', String(isOpen))
      if (Folding.narrow.matches === (button !== null)) continue
      heading.replaceChildren(Folding.narrow.matches ? Folding.button(section, heading.textContent, isOpen) : heading.textContent)
    }
  },

  button(section, title, isOpen) {
    const button = make('button', 'fold', title)
    button.type = 'button'
    button.setAttribute('aria-expanded', String(isOpen))
    button.addEventListener('click', () => {
      if (!Folding.open.delete(section.id)) Folding.open.add(section.id)
      Folding.apply()
    })
    return button
  },
}
