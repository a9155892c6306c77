// The search of a FlamePanel: marks the hits, shows their share of the whole, and steps from hit to
// hit.
class FlameSearch {
  // `panel`: {tree, shown: [{view, tree}], measure, byBase, unit, details, changed()}. Amounts
  // refer to the whole recording, hits to the visible graphs.
  constructor(panel) {
    this.panel = panel
    this.field = panel.find('search')
    this.told = panel.find('matched')
    this.found = null
    this.at = -1  // index of the current hit
    this.field.addEventListener('input', () => this.run())
    this.field.addEventListener('keydown', (event) => {
      if (event.key !== 'Enter') return
      event.preventDefault()
      this.step(event.shiftKey ? -1 : 1)
    })
    this.steps = ['previous-hit', 'next-hit'].map((id) => panel.find(id))
    this.steps.forEach((button, i) => button.addEventListener('click', () => this.step(i === 0 ? -1 : 1)))
  }

  clear() {
    this.field.value = ''
    this.run()
  }

  run() {
    const { tree, shown, measure, byBase, details } = this.panel
    const pattern = this.field.value.trim()
    const whole = tree.search(pattern, measure, byBase)
    const parts = shown.map((part) => [part.view, part.tree === tree ? whole : part.tree.search(pattern, measure, byBase)])
    // What is in both graphs is one hit: the function in the middle, or a call in two recordings.
    const [first] = shown
    const isSecond = (view, node) => view !== first.view && (node === 0 || (this.panel.sides.has(view) && first.tree.width[node] > 0))
    this.found = whole && { amount: whole.amount,
      hits: parts.flatMap(([view, { hits }]) => hits.filter((node) => !isSecond(view, node)).map((node) => ({ view, node }))) }
    this.at = -1
    details.hide()
    for (const [view, found] of parts) view.mark(found ? found.nodes : null)
    for (const button of this.steps) button.hidden = !this.found || this.found.hits.length === 0
    this.#tell()
    this.panel.changed()
  }

  // Wraps around from the last hit to the first, and back.
  step(by) {
    const count = this.found?.hits.length ?? 0
    if (count === 0) return
    this.at = this.at < 0 ? (by > 0 ? 0 : count - 1) : (this.at + by + count) % count
    this.#tell()
    const { view, node } = this.found.hits[this.at]
    view.reveal(node)
    this.panel.changed()
  }

  // Goes to the hit with this index, if there is one, without changing the zoom.
  goTo(index) {
    const hit = this.found?.hits[index]
    if (!hit) return
    this.at = index
    this.#tell()
    hit.view.select(hit.node)
  }

  // Whether the node of this view is the current hit.
  isAt(view, node) {
    const hit = this.found?.hits[this.at]
    return hit !== undefined && hit.view === view && hit.node === node
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
