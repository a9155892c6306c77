// A flame graph with all that belongs to it: measures, legend, search, details and keys. There is one on
// a page: its elements have ids.
class FlamePanel {
  // Controls and graph go into `controls` and `body`. The page has elements with the ids total and
  // total-name. `words`: what the two recordings of a comparison are called, {now, base}.
  constructor({ controls, body }, words) {
    this.find = (id) => document.getElementById(id)
    FlameParts.controls(controls, words)
    FlameParts.body(body)
    this.details = new FlameDetails()
    this.view = new FlameView(this.find('flame'), {
      hover: (node, x, y, by) => this.#showDetails(node, x, y, by),
      zoom: (node) => this.#showPath(node),
    })
    this.search = new FlameSearch(this)
    this.#controls()
    Theme.onChange(() => this.recolour())
  }

  // `data`: as FlameTree's, with `measures` for people.
  show(data) {
    this.data = data
    this.measure = 0
    this.hidden = new Set()
    this.byBase = false
    this.changes = data.nodes.base !== null
    const measures = this.find('measure')
    measures.replaceChildren()
    data.measures.forEach((measure, i) => measures.add(new Option(measure.name, i)))
    measures.parentElement.hidden = data.measures.length < 2
    this.find('widths').value = 'now'
    this.find('widths').parentElement.hidden = !this.changes
    this.find('colours').parentElement.hidden = !this.changes
    this.#rebuild()
  }

  get unit() { return this.data.measures[this.measure].unit }

  #controls() {
    const on = (id, event, handler) => this.find(id).addEventListener(event, handler)
    on('measure', 'change', (event) => {
      this.measure = Number(event.target.value)
      this.#rebuild()
    })
    on('widths', 'change', (event) => {
      this.byBase = event.target.value === 'base'
      this.#rebuild()
    })
    on('colours', 'change', () => this.recolour())
    on('reset', 'click', () => this.reset())
  }

  reset() {
    this.search.clear()
    this.view.selected = -1
    this.view.zoomTo(0)
    this.find('flame').focus({ preventScroll: true })
  }

  #rebuild() {
    this.tree = new FlameTree(this.data, this.hidden)
    this.tree.layOut(this.measure, this.byBase)
    this.view.show(this.tree, this.#colours())
    this.#legend()
    this.search.run()
    const totals = this.byBase ? this.data.baseTotals : this.data.totals
    const measure = this.data.measures[this.measure]
    this.find('total').textContent = Format.amount(totals[this.measure], this.unit)
    this.find('total').dataset.value = totals[this.measure]
    this.find('total-name').textContent =
      this.byBase ? `${measure.name}, baseline` : measure.name
  }

  recolour() {
    if (!this.data) return
    this.view.recolour(this.#colours())
    this.#legend()
  }

  #showsChanges() { return this.changes && this.find('colours').value === 'change' }

  #colours() {
    const dark = Theme.isDark()
    this.most = FlameColouring.mostChange(this.tree, this.measure)
    return this.#showsChanges() ? FlameColouring.byChange(this.measure, this.most, dark)
      : FlameColouring.byKind(this.data, dark)
  }

  // ---- What is around the graph

  #legend() {
    const legend = this.find('legend')
    legend.replaceChildren()
    if (this.#showsChanges()) {
      const scale = make('span', 'scale')
      const stops = [-1, -0.4, 0, 0.4, 1].map((part) => FlameColouring.ofChange(part, Theme.isDark()))
      scale.style.background = `linear-gradient(to right, ${stops.join(', ')})`
      legend.append(
        make('span', '', `less than in the baseline (${Format.change(-this.most)})`),
        scale, make('span', '', `more (${Format.change(this.most)})`))
      return
    }
    const whole = new FlameTree(this.data)
    const sums = whole.byKind(this.measure)
    const all = whole.amount(0, this.measure)
    const seen = new Set(this.data.nodes.frame.slice(1).map((frame) => this.data.frames.kind[frame]))
    this.data.kinds.forEach((kind, i) => {
      if (!seen.has(i)) return
      const chip = make('button', 'chip')
      chip.type = 'button'
      chip.title = 'Click to fold or unfold these frames'
      chip.setAttribute('aria-pressed', String(!this.hidden.has(i)))
      const swatch = make('span', 'swatch')
      swatch.style.background = FlameColouring.ofKind(kind, 9, Theme.isDark()).fill
      chip.append(swatch, kind, make('span', 'share',
        Format.percent(all === 0 ? 0 : sums[i] / all)))
      chip.addEventListener('click', () => {
        if (!this.hidden.delete(i)) this.hidden.add(i)
        this.#rebuild()
      })
      legend.append(chip)
    })
  }

  #showPath(node) {
    const path = this.find('path')
    path.replaceChildren()
    const nodes = []
    for (let at = node; at !== 0; at = this.tree.parent[at]) nodes.push(at)
    nodes.push(0)
    for (const at of nodes.reverse()) {
      const forms = Format.forms(this.tree.name(at))
      const step = make('button', 'step', forms[Math.min(1, forms.length - 1)])
      step.type = 'button'
      step.title = this.tree.name(at)
      step.addEventListener('click', () => this.view.zoomTo(at))
      path.append(step)
    }
    path.scrollLeft = path.scrollWidth
    this.find('reset').disabled = node === 0
  }

  #showDetails(node, x, y, by) {
    if (node < 0) return this.details.hide()
    const { tree, data, measure, unit, view } = this
    this.details.show({ tree, data, measure, zoomed: view.zoomed }, node, this.find('flame'), x, y)
    if (by !== 'keyboard') return
    const total = tree.amount(node, measure)
    const place = this.search.at >= 0 && this.search.found.hits[this.search.at] === node ? `${this.search.place}: ` : ''
    this.details.say(`${place}${tree.name(node)}: ${Format.amount(total, unit)}, ${Format.percent(tree.share(node, measure))}`)
  }
}
