// A flame graph with all that belongs to it: measures, legend, search, details and keys. The page that
// it is on has elements with these ids: flame (with .spacer and canvas in it), search, matched, measure,
// widths, colours, reset, legend, path, tip, spoken, total, total-name.
class FlamePanel {
  static #HUES = { application: 24, framework: 212, runtime: 268, native: 158, type: 330, package: 84 }

  constructor() {
    this.find = (id) => document.getElementById(id)
    this.view = new FlameView(this.find('flame'), {
      hover: (node, x, y, by) => this.#showDetails(node, x, y, by),
      zoom: (node) => this.#showPath(node),
    })
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
    on('search', 'input', () => this.#search())
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
    this.find('search').value = ''
    this.#search()
    this.view.selected = -1
    this.view.zoomTo(0)
    this.find('flame').focus({ preventScroll: true })
  }

  #rebuild() {
    this.tree = new FlameTree(this.data, this.hidden)
    this.tree.layOut(this.measure, this.byBase)
    this.view.show(this.tree, this.#colours())
    this.#legend()
    this.#search()
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

  // ---- Colours

  #colours() {
    const dark = Theme.isDark()
    return this.#showsChanges() ? this.#changeColours(dark) : this.#kindColours(dark)
  }

  // A hue for each kind; a little of its own for each module and type, so that neighbours differ.
  #kindColours(dark) {
    const cache = new Map()
    return (node) => {
      const frame = node === 0 ? -1 : this.tree.frame[node]
      let colour = cache.get(frame)
      if (!colour) {
        const kind = node === 0 ? '' : this.data.kinds[this.tree.kind(node)]
        const seed = node === 0 ? 0 : FlamePanel.#hash(this.#group(node))
        colour = FlamePanel.#kindColour(kind, seed, dark)
        cache.set(frame, colour)
      }
      return colour
    }
  }

  static #kindColour(kind, seed, dark) {
    const text = dark ? '#f3f1ee' : '#1d1b19'
    const hue = FlamePanel.#HUES[kind]
    if (hue === undefined) return { fill: dark ? 'hsl(30 4% 30%)' : 'hsl(30 8% 84%)', text }
    const turn = hue + (seed % 19) - 9
    const light = (dark ? 32 : 74) + (Math.floor(seed / 19) % 7) - 3
    return { fill: `hsl(${turn} ${dark ? 42 : 78}% ${light}%)`, text }
  }

  // Red: more of the whole than in the baseline; blue: less.
  #changeColours(dark) {
    const text = dark ? '#f3f1ee' : '#1d1b19'
    this.most = 0.001
    for (let node = 1; node < this.tree.size; ++node) {
      this.most = Math.max(this.most, Math.abs(this.tree.change(node, this.measure)))
    }
    return (node) => ({
      fill: FlamePanel.#changeColour(this.tree.change(node, this.measure) / this.most, dark), text,
    })
  }

  static #changeColour(change, dark) {
    const strength = Math.min(1, Math.abs(change)) ** 0.6
    const hue = change > 0 ? 8 : 214
    return `hsl(${hue} ${Math.round(strength * (dark ? 62 : 84))}% ${dark
      ? 28 + Math.round(strength * 12) : 90 - Math.round(strength * 24)}%)`
  }

  #group(node) {
    const name = this.tree.name(node)
    const end = name.search(/[<(\[]/)
    const head = end <= 0 ? name : name.slice(0, end)
    return this.tree.module(node) + head.slice(0, Math.max(head.lastIndexOf('.'), 0))
  }

  static #hash(text) {
    let hash = 2166136261
    for (let i = 0; i < text.length; ++i) hash = Math.imul(hash ^ text.charCodeAt(i), 16777619)
    return hash >>> 0
  }

  // ---- What is around the graph

  #legend() {
    const legend = this.find('legend')
    legend.replaceChildren()
    if (this.#showsChanges()) {
      const scale = FlamePanel.#element('span', 'scale')
      const stops = [-1, -0.4, 0, 0.4, 1].map((part) =>
        FlamePanel.#changeColour(part, Theme.isDark()))
      scale.style.background = `linear-gradient(to right, ${stops.join(', ')})`
      legend.append(
        FlamePanel.#element('span', '', `less than in the baseline (${Format.change(-this.most)})`),
        scale, FlamePanel.#element('span', '', `more (${Format.change(this.most)})`))
      return
    }
    const whole = new FlameTree(this.data)
    const sums = whole.byKind(this.measure)
    const all = whole.amount(0, this.measure)
    const seen = new Set(this.data.nodes.frame.slice(1).map((frame) => this.data.frames.kind[frame]))
    this.data.kinds.forEach((kind, i) => {
      if (!seen.has(i)) return
      const chip = FlamePanel.#element('button', 'chip')
      chip.type = 'button'
      chip.title = 'Click to fold or unfold these frames'
      chip.setAttribute('aria-pressed', String(!this.hidden.has(i)))
      const swatch = FlamePanel.#element('span', 'swatch')
      swatch.style.background = FlamePanel.#kindColour(kind, 9, Theme.isDark()).fill
      chip.append(swatch, kind, FlamePanel.#element('span', 'share',
        Format.percent(all === 0 ? 0 : sums[i] / all)))
      chip.addEventListener('click', () => {
        if (!this.hidden.delete(i)) this.hidden.add(i)
        this.#rebuild()
      })
      legend.append(chip)
    })
  }

  #search() {
    const pattern = this.find('search').value.trim()
    const found = this.tree.search(pattern, this.measure, this.byBase)
    this.view.mark(found ? found.nodes : null)
    const all = this.tree.amount(0, this.measure, this.byBase)
    const share = found && all > 0 ? found.amount / all : 0
    this.find('matched').textContent = !found ? ''
      : found.nodes.size === 0 ? 'no match'
        : `${Format.percent(share)}  ·  ${Format.amount(found.amount, this.unit)}`
    this.find('matched').dataset.value = found ? found.amount : ''
  }

  #showPath(node) {
    const path = this.find('path')
    path.replaceChildren()
    const nodes = []
    for (let at = node; at !== 0; at = this.tree.parent[at]) nodes.push(at)
    nodes.push(0)
    for (const at of nodes.reverse()) {
      const forms = Format.forms(this.tree.name(at))
      const step = FlamePanel.#element('button', 'step', forms[Math.min(1, forms.length - 1)])
      step.type = 'button'
      step.title = this.tree.name(at)
      step.addEventListener('click', () => this.view.zoomTo(at))
      path.append(step)
    }
    path.scrollLeft = path.scrollWidth
    this.find('reset').disabled = node === 0
  }

  #showDetails(node, x, y, by) {
    const tip = this.find('tip')
    tip.hidden = node < 0
    if (node < 0) return
    const { tree, measure, unit } = this
    const total = tree.amount(node, measure)
    const own = tree.selfAmount(node, measure)
    const all = tree.amount(0, measure)
    const share = (amount) => Format.percent(all === 0 ? 0 : amount / all)
    const rows = [['total', Format.amount(total, unit), share(total)],
      ['self', Format.amount(own, unit), share(own)]]
    this.data.measures.forEach((other, i) => {
      if (i === measure) return
      rows.push([other.name, Format.amount(tree.amount(node, i), other.unit),
        Format.percent(tree.share(node, i))])
    })
    const zoomed = tree.amount(this.view.zoomed, measure)
    if (this.view.zoomed !== 0 && zoomed > 0) {
      rows.push(['of the view', '', Format.percent(total / zoomed)])
    }
    if (tree.hasBase) {
      rows.push(['baseline', Format.amount(tree.amount(node, measure, true), unit),
        Format.percent(tree.share(node, measure, true))],
      ['change', '', Format.change(tree.change(node, measure))])
    }
    const table = FlamePanel.#element('table')
    for (const cells of rows) {
      table.insertRow().append(...cells.map((text, i) =>
        FlamePanel.#element(i === 0 ? 'th' : 'td', '', text)))
    }
    const module = tree.module(node)
    const kind = node === 0 ? '' : this.data.kinds[tree.kind(node)]
    const where = module === '' ? kind : `${module}  ·  ${kind}`
    tip.replaceChildren(FlamePanel.#element('div', 'name', tree.name(node)),
      ...(where === '' ? [] : [FlamePanel.#element('div', 'where', where)]), table)
    tip.dataset.total = total
    tip.dataset.self = own
    const box = this.find('flame').getBoundingClientRect()
    const left = Math.min(x + 14, box.width - tip.offsetWidth - 8)
    const below = y + 22
    const fits = box.top + below + tip.offsetHeight < window.innerHeight - 8
    tip.style.left = `${box.left + Math.max(8, left)}px`
    tip.style.top = `${fits ? box.top + below : Math.max(8, box.top + y - tip.offsetHeight - 14)}px`
    if (by === 'keyboard') {
      this.find('spoken').textContent =
        `${tree.name(node)}: ${Format.amount(total, unit)}, ${share(total)}`
    }
  }

  static #element(tag, className = '', text = '') {
    const element = document.createElement(tag)
    if (className) element.className = className
    if (text) element.textContent = text
    return element
  }
}
