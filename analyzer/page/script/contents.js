// The list of sections next to the page, once they all exist.
function contents() {
  const list = document.querySelector('#contents ol')
  const links = new Map()
  for (const section of document.querySelectorAll('main > section')) {
    const link = make('a', '', section.querySelector('h2').textContent)
    link.href = `#${section.id}`
    links.set(section, link)
    list.append(make('li', '', link))
  }
  // The section at the top of the window is the current one.
  const mark = () => {
    const at = [...links.keys()].filter((section) => section.getBoundingClientRect().top < innerHeight * 0.35).pop()
    for (const [section, link] of links) {
      if (section !== at) {
        link.removeAttribute('aria-current')
      } else if (!link.hasAttribute('aria-current')) {
        link.setAttribute('aria-current', 'true')
        list.scrollLeft = link.offsetLeft - list.offsetLeft - 40
      }
    }
  }
  document.addEventListener('scroll', mark, { passive: true })
  window.addEventListener('resize', mark)
  mark()
}
