// A flame graph with everything around it: measures, legend, search, details and keys; and the
// callers and callees of a function. There is only one on a page, because its elements have ids.
class FlamePanel {
  // Controls and graph are added to `controls` and `body`. The page must have elements with the ids
  // total and total-name. `words`: the names of the two recordings in a comparison, {now, base}.
  constructor({ controls, body }, words) {
    // They may not be in the page yet.
    this.find = (id) => controls.querySelector(`#${id}`) ?? body.querySelector(`#${id}`) ?? document.getElementById(id)
    FlameParts.controls(controls, words)
    FlameParts.body(body, words)
    this.details = new FlameDetails()
    this.view = this.#makeView('flame')
    this.callers = this.#makeView('callers', true)
    this.callees = this.#makeView('callees')
    this.sides = new FlameSides(this, (id) => this.#makeView(id))
    this.search = new FlameSearch(this)
    this.onChange = () => {}  // called with the FlameState after what is shown has changed
    this.#controls()
    Theme.onChange(() => this.recolour())
    document.addEventListener('scroll', () => this.details.hide(), { passive: true })
  }

  // Keys that work in all of `host`, not only in the graph.
  listenTo(host) {
    host.addEventListener('keydown', (event) => {
      if (event.key === 'Escape') this.reset()
      if (event.key !== '/' || event.ctrlKey || event.metaKey || event.target.matches('input, select, textarea')) return
      event.preventDefault()
      this.search.field.focus()
    })
  }

  // `data`: as for FlameTree, with `measures` for display. `state`: see FlameState.
  show(data, state = {}) {
    this.data = data
    this.changes = data.nodes.base !== null
    const measures = this.find('measure')
    measures.replaceChildren()
    data.measures.forEach((measure, i) => measures.add(new Option(measure.name, i)))
    measures.parentElement.hidden = data.measures.length < 2
    this.find('widths').parentElement.hidden = !this.changes
    this.find('colours').parentElement.hidden = !this.changes
    this.restore(state)
  }

  restore(state) {
    const { data, find } = this
    this.measure = data.measures[Number(state.measure)] ? Number(state.measure) : 0
    this.hidden = new Set((state.fold ?? '').split(',').map((kind) => data.kinds.indexOf(kind)).filter((kind) => kind >= 0))
    this.byBase = this.changes && state.widths === 'base'
    this.both = this.changes && state.widths === 'both'
    this.middle = FlameIds.frame(data, state.function)  // frame whose callers and callees are shown; -1: none
    find('measure').value = String(this.measure)
    find('widths').value = this.widths
    find('colours').value = state.colors === 'kind' ? 'kind' : 'change'
    this.search.field.value = state.search ?? ''
    this.#rebuild()
    FlameState.zoom(this.main, state.zoom)
    for (const side of this.middle < 0 ? [] : ['callees', 'callers']) FlameState.zoom(this[side], state[side])
    this.search.goTo(Number(state.hit) - 1)
  }

  // Not at each step of a movement, because browsers limit how often the address may change.
  changed() {
    clearTimeout(this.telling)
    this.telling = setTimeout(() => this.onChange(FlameState.of(this)), 150)
  }

  get unit() { return this.data.measures[this.measure].unit }

  get widths() { return this.both ? 'both' : this.byBase ? 'base' : 'now' }

  // The view for navigating the whole graph; of two next to each other, the one of the later
  // recording.
  get main() { return this.both ? this.sides.now : this.view }

  // The visible graphs, each with its tree.
  get shown() {
    if (this.middle < 0 && this.both) return this.sides.shown
    return (this.middle < 0 ? [this.view] : [this.callers, this.callees]).map((view) => ({ view, tree: view.tree }))
  }

  #makeView(id, upward = false) {
    const view = new FlameView(this.find(id), {
      hover: (node, x, y, by) => {
        this.sides?.follow(view, 'point', node)
        this.#showDetails(view, node, x, y, by)
      },
      zoom: (node) => {
        if (this.sides?.following) return
        this.sides?.follow(view, 'zoom', node)
        this.#showPath(view, node)
        this.changed()
      },
      select: (node) => {
        this.sides?.follow(view, 'select', node)
        this.#choose(node < 0 ? -1 : view.tree.frameOf(node))
      },
      move: () => this.changed(),
    }, upward)
    this.find(id).addEventListener('blur', () => this.details.hide())
    this.find(id).addEventListener('keydown', (event) => {
      if (event.key.toLowerCase() === 's' && !event.ctrlKey && !event.metaKey) this.#openSandwich()
    })
    return view
  }

  #controls() {
    const on = (id, event, handler) => this.find(id).addEventListener(event, handler)
    on('measure', 'change', (event) => {
      this.measure = Number(event.target.value)
      this.#rebuild()
    })
    on('widths', 'change', (event) => {
      const wasBoth = this.both
      this.byBase = event.target.value === 'base'
      this.both = event.target.value === 'both'
      // If they are next to each other, the same function should be recognizable at a glance.
      if (this.both !== wasBoth) this.find('colours').value = this.both ? 'kind' : 'change'
      this.#rebuild()
    })
    on('colours', 'change', () => {
      this.recolour()
      this.changed()
    })
    on('reset', 'click', () => this.reset())
    on('open-sandwich', 'click', () => this.#openSandwich())
    for (const kind of ['svg', 'png']) on(`save-${kind}`, 'click', () => FlamePicture.save(this, kind))
  }

  // Back to the whole graph, without search.
  reset() {
    this.search.clear()
    if (this.middle >= 0) return this.showSandwich(-1)
    for (const { view } of this.shown) view.selected = -1
    this.#choose(-1)
    this.main.zoomTo(0)
    this.main.scroller.focus({ preventScroll: true })
  }

  #rebuild() {
    this.tree = new FlameTree(this.data, this.hidden)
    this.tree.layOut(this.measure, this.byBase)
    this.view.show(this.tree, this.#colours())
    if (this.both) {
      this.sides.show(this.data, this.hidden, this.measure, this.view.colours)
      this.#showPath(this.main, 0)
    }
    this.#legend()
    const isFolded = this.middle >= 0 && this.hidden.has(this.data.frames.kind[this.middle])
    this.showSandwich(isFolded ? -1 : this.middle)
  }

  recolour() {
    if (!this.data) return
    const colours = this.#colours()
    for (const { view } of this.shown) view.recolour(colours)
    this.view.colours = colours
    this.#legend()
  }

  #showsChanges() { return this.changes && this.find('colours').value === 'change' }

  #colours() {
    const dark = Theme.isDark()
    this.most = FlameColouring.mostChange(this.tree, this.measure)
    return this.#showsChanges() ? FlameColouring.byChange(this.measure, this.most, dark)
      : FlameColouring.byKind(this.data, dark)
  }

  // ---- Callers and callees

  // For the function that is selected in a visible graph.
  #choose(frame) {
    this.chosen = frame
    this.find('open-sandwich').disabled = frame < 0 || frame === this.middle
  }

  #openSandwich() {
    if (!this.find('open-sandwich').disabled) this.showSandwich(this.chosen)
  }

  // Shows the callers and callees of a frame; -1: the whole graph.
  showSandwich(frame) {
    const isChanged = frame !== this.middle
    this.middle = frame
    this.find('flame').hidden = frame >= 0 || this.both
    this.find('sides').hidden = frame >= 0 || !this.both
    this.find('sandwich').hidden = frame < 0
    if (frame >= 0) {
      const sides = Sandwich.of(this.tree, frame)
      for (const side of ['callers', 'callees']) {
        const tree = new FlameTree(sides[side])
        tree.layOut(this.measure, this.byBase)
        this[side].show(tree, this.view.colours)
      }
    } else if (isChanged) {
      for (const { view } of this.shown) view.selected = -1
      this.main.zoomTo(this.main.zoomed)
    }
    this.#choose(-1)
    this.#totals()
    this.search.run()
  }

  // ---- What is around the graph

  // The total of what is shown: the whole, or one function.
  #totals() {
    const measure = this.data.measures[this.measure]
    const all = (this.byBase ? this.data.baseTotals : this.data.totals)[this.measure]
    const total = this.middle < 0 ? all : this.callees.tree.amount(0, this.measure, this.byBase)
    this.find('total').textContent = Format.amount(total, this.unit)
    this.find('total').dataset.value = total
    const name = this.byBase ? `${measure.name}, baseline` : measure.name
    this.find('total-name').textContent = this.middle < 0 ? name
      : `${name}, ${Format.percent(all > 0 ? total / all : 0)} of all`
  }

  #legend() {
    const legend = this.find('legend')
    legend.replaceChildren()
    if (this.#showsChanges()) {
      const scale = make('span', 'scale')
      const stops = [-1, -0.4, 0, 0.4, 1].map((part) => FlameColouring.ofChange(part, Theme.isDark()))
      scale.style.background = `linear-gradient(to right, ${stops.join(', ')})`
      legend.append(make('span', '', `less than in the baseline (${Format.change(-this.most)})`),
        scale, make('span', '', `more (${Format.change(this.most)})`))
      return
    }
    const sums = new FlameTree(this.data).byKind(this.measure)
    const all = this.data.totals[this.measure]
    const seen = new Set(this.data.nodes.frame.slice(1).map((frame) => this.data.frames.kind[frame]))
    this.data.kinds.forEach((kind, i) => {
      if (!seen.has(i)) return
      const swatch = make('span', 'swatch')
      swatch.style.background = FlameColouring.ofKind(kind, 9, Theme.isDark()).fill
      const chip = make('button', 'chip', swatch, kind, make('span', 'share', Format.percent(all === 0 ? 0 : sums[i] / all)))
      chip.type = 'button'
      chip.title = 'Click to fold or unfold these frames'
      chip.setAttribute('aria-pressed', String(!this.hidden.has(i)))
      chip.addEventListener('click', () => {
        if (!this.hidden.delete(i)) this.hidden.add(i)
        this.#rebuild()
      })
      legend.append(chip)
    })
  }

  // The path to the zoomed call; each of its steps leads back.
  #showPath(view, node) {
    const { tree } = view
    const isWhole = view === this.view || this.sides.has(view)
    const short = (name) => {
      const forms = Format.forms(name)
      return forms[Math.min(1, forms.length - 1)]
    }
    const steps = []
    for (let at = node; at !== 0; at = tree.parent[at]) steps.unshift([short(tree.name(at)), tree.name(at), () => view.zoomTo(at)])
    steps.unshift(isWhole ? ['all', 'all', () => view.zoomTo(0)]
      : [`callers and callees of ${short(tree.name(0))}`, tree.name(0), () => [this.callers, this.callees].forEach((side) => side.zoomTo(0))])
    if (!isWhole) steps.unshift(['all', 'The whole graph', () => this.showSandwich(-1)])
    const path = this.find('path')
    path.replaceChildren(...steps.map(([text, title, go]) => {
      const step = make('button', 'step', text)
      step.type = 'button'
      step.title = title
      step.addEventListener('click', go)
      return step
    }))
    path.scrollLeft = path.scrollWidth
    this.find('reset').disabled = isWhole && node === 0
  }

  #showDetails(view, node, x, y, by) {
    if (node < 0) return this.details.hide()
    const { data, measure, unit } = this
    const { tree, zoomed } = view
    const byBase = view === this.sides.base || (view === this.view && this.byBase)
    this.details.show({ tree, data, measure, zoomed, byBase }, node, view.scroller, x, y)
    if (by !== 'keyboard') return
    const place = this.search.isAt(view, node) ? `${this.search.place}: ` : ''
    this.details.say(`${place}${tree.name(node)}: ${Format.amount(tree.amount(node, measure, byBase), unit)}, ${
      Format.percent(tree.share(node, measure, byBase))}`)
  }
}
