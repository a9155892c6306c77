// A comparison as two graphs next to each other: the earlier recording and the later one, each with
// its full width. Both have the same calls, so that pointing at, selecting or zooming to one
// affects both.
class FlameSides {
  // `makeView(id)`: creates a FlameView that reports to `follow`.
  constructor(panel, makeView) {
    this.panel = panel
    this.base = makeView('before')
    this.now = makeView('after')
    // Both have the same number of rows.
    for (const [view, other] of [[this.base, this.now], [this.now, this.base]]) {
      view.scroller.addEventListener('scroll', () => { other.scroller.scrollTop = view.scroller.scrollTop })
    }
  }

  get views() { return [this.base, this.now] }
  get shown() { return this.views.map((view) => ({ view, tree: view.tree })) }
  has(view) { return this.views.includes(view) }

  show(data, hidden, measure, colours) {
    const { find, unit } = this.panel
    this.following = true
    for (const [view, id] of [[this.base, 'before'], [this.now, 'after']]) {
      const isBase = view === this.base
      const tree = new FlameTree(data, hidden)
      tree.layOut(measure, isBase)
      view.show(tree, colours)
      const total = (isBase ? data.baseTotals : data.totals)[measure]
      find(`${id}-total`).textContent = Format.amount(total, unit)
      find(`${id}-total`).dataset.value = total
    }
    this.following = false
  }

  // `what`: 'point', 'select' or 'zoom'. A call that the other recording does not have is missing
  // there: it then zooms to the nearest of its callers.
  follow(view, what, node) {
    if (this.following || !this.has(view)) return
    const other = view === this.base ? this.now : this.base
    if (!other.tree) return
    this.following = true
    if (what === 'zoom') {
      let at = node
      while (at !== 0 && other.tree.width[at] <= 0) at = other.tree.parent[at]
      other.zoomTo(at)
    } else {
      other.mirror(what, node)
    }
    this.following = false
  }
}
