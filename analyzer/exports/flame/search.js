// The search of a FlamePanel: marks what it finds, tells its share of the whole, and walks from hit to hit.
class FlameSearch {
  // `panel`: {tree, measure, byBase, unit, view, details}.
  constructor(panel) {
    this.panel = panel
    this.field = document.getElementById('search')
    this.told = document.getElementById('matched')
    this.found = null
    this.at = -1  // index of the hit that is looked at
    this.field.addEventListener('input', () => this.run())
    this.field.addEventListener('keydown', (event) => {
      if (event.key !== 'Enter') return
      event.preventDefault()
      this.step(event.shiftKey ? -1 : 1)
    })
    this.steps = ['previous-hit', 'next-hit'].map((id) => document.getElementById(id))
    this.steps.forEach((button, i) => button.addEventListener('click', () => this.step(i === 0 ? -1 : 1)))
  }

  clear() {
    this.field.value = ''
    this.run()
  }

  run() {
    const { tree, measure, byBase, view, details } = this.panel
    this.found = tree.search(this.field.value.trim(), measure, byBase)
    this.at = -1
    details.hide()
    view.mark(this.found ? this.found.nodes : null)
    for (const button of this.steps) button.hidden = !this.found || this.found.hits.length === 0
    this.#tell()
  }

  // From the last hit on to the first, and back.
  step(by) {
    const count = this.found?.hits.length ?? 0
    if (count === 0) return
    this.at = this.at < 0 ? (by > 0 ? 0 : count - 1) : (this.at + by + count) % count
    this.#tell()
    this.panel.view.reveal(this.found.hits[this.at])
  }

  get place() { return this.at < 0 ? '' : `${Format.count(this.at + 1)} of ${Format.count(this.found.hits.length)}` }

  #tell() {
    const { tree, measure, byBase, unit } = this.panel
    const { found } = this
    const all = tree.amount(0, measure, byBase)
    const count = found?.hits.length ?? 0
    const hits = this.place || `${Format.count(count)} ${count === 1 ? 'hit' : 'hits'}`
    this.told.textContent = !found ? '' : count === 0 ? 'no match'
      : [hits, Format.percent(all > 0 ? found.amount / all : 0), Format.amount(found.amount, unit)].join('  ·  ')
    this.told.dataset.value = found ? found.amount : ''
  }
}
