// The flame graph itself: draws a FlameTree on a canvas, the root on top, and lets people walk in it.
//
// `events`: {hover(node, x, y), zoom(node)}; node -1: none.
class FlameView {
  static ROW = 22
  static #LEAST = 0.5  // pixels; what is narrower is not drawn
  static #READABLE = 60  // pixels that a call has at least when it is brought into view

  constructor(scroller, events) {
    this.scroller = scroller
    this.canvas = scroller.querySelector('canvas')
    this.spacer = scroller.querySelector('.spacer')
    this.context = this.canvas.getContext('2d')
    this.events = events
    this.from = 0
    this.to = 1
    this.zoomed = 0
    this.selected = -1
    this.hovered = -1
    this.matches = null
    this.colours = () => ({ fill: '#888', text: '#000' })
    this.labels = new Map()
    new ResizeObserver(() => this.#resize()).observe(scroller)
    scroller.addEventListener('scroll', () => this.draw())
    this.canvas.addEventListener('mousemove', (event) => this.#onMove(event))
    this.canvas.addEventListener('mouseleave', () => this.#hover(-1))
    this.canvas.addEventListener('click', (event) => this.#onClick(event))
    this.canvas.addEventListener('wheel', (event) => this.#onWheel(event), { passive: false })
    scroller.addEventListener('keydown', (event) => this.#onKey(event))
  }

  // `colours(tree, node)`: {fill, text}.
  show(tree, colours) {
    this.tree = tree
    this.colours = colours
    this.zoomed = 0
    this.selected = this.hovered = -1
    this.from = 0
    this.to = 1
    this.spacer.style.height = `${(tree.deepest + 1) * FlameView.ROW}px`
    this.events.zoom(0)
    this.#resize()
  }

  // At once: print does not wait.
  recolour(colours) {
    this.colours = colours
    this.#paint()
  }

  mark(nodes) {
    this.matches = nodes
    this.draw()
  }

  // `done()`: when it is there.
  zoomTo(node, done = () => {}) {
    this.zoomed = node
    this.events.zoom(node)
    this.#glideTo(this.tree.left[node], this.tree.left[node] + this.tree.width[node], done)
  }

  // Selects the node, where it can be seen and read: as it is, or zoomed to the outermost of its callers that
  // leaves it wide enough.
  reveal(node) {
    const { tree } = this
    const [left, width] = [tree.left[node], tree.width[node]]
    const least = Math.min(FlameView.#READABLE, this.canvas.clientWidth)
    const isInside = left >= this.from - 1e-9 && left + width <= this.to + 1e-9
    if (isInside && this.#box(node).width >= least) return this.select(node)
    const callers = [node]
    while (callers[0] !== 0) callers.unshift(tree.parent[callers[0]])
    const to = callers.find((caller) => (width / tree.width[caller]) * this.canvas.clientWidth >= least)
    this.zoomTo(to ?? node, () => this.select(node))
  }

  select(node) {
    this.selected = node
    const top = this.tree.depth[node] * FlameView.ROW
    if (top < this.scroller.scrollTop) this.scroller.scrollTop = top
    const bottom = top + FlameView.ROW - this.scroller.clientHeight
    if (bottom > this.scroller.scrollTop) this.scroller.scrollTop = bottom
    const { left, width } = this.#box(node)
    const x = Math.max(0, Math.min(left + width / 2, this.canvas.clientWidth))
    this.events.hover(node, x, top - this.scroller.scrollTop + FlameView.ROW, 'keyboard')
    this.draw()
  }

  draw() {
    if (this.pending) return
    this.pending = requestAnimationFrame(() => {
      this.pending = 0
      this.#paint()
    })
  }

  #resize() {
    const ratio = window.devicePixelRatio || 1
    const width = this.scroller.clientWidth
    const height = this.scroller.clientHeight
    this.canvas.width = Math.round(width * ratio)
    this.canvas.height = Math.round(height * ratio)
    this.canvas.style.width = `${width}px`
    this.canvas.style.height = `${height}px`
    this.context.setTransform(ratio, 0, 0, ratio, 0, 0)
    this.labels.clear()
    this.draw()
  }

  #glideTo(from, to, done) {
    cancelAnimationFrame(this.gliding)
    const start = performance.now()
    const [oldFrom, oldTo] = [this.from, this.to]
    const time = matchMedia('(prefers-reduced-motion: reduce)').matches ? 0 : 220
    const step = (now) => {
      const part = time === 0 ? 1 : Math.min(1, Math.max(0, (now - start) / time))
      const eased = 1 - (1 - part) ** 3
      this.from = oldFrom + (from - oldFrom) * eased
      this.to = oldTo + (to - oldTo) * eased
      this.#paint()
      if (part < 1) this.gliding = requestAnimationFrame(step)
      else done()
    }
    step(start)
  }

  #box(node) {
    const scale = this.canvas.clientWidth / Math.max(this.to - this.from, 1e-12)
    return {
      left: (this.tree.left[node] - this.from) * scale,
      width: this.tree.width[node] * scale,
    }
  }

  #paint() {
    const { context, tree } = this
    if (!tree) return
    const width = this.canvas.clientWidth
    const height = this.canvas.clientHeight
    const scroll = this.scroller.scrollTop
    const first = Math.floor(scroll / FlameView.ROW)
    const last = Math.ceil((scroll + height) / FlameView.ROW)
    context.clearRect(0, 0, width, height)
    context.textBaseline = 'middle'
    this.font = getComputedStyle(this.scroller).font
    context.font = this.font
    const nodes = [0]
    while (nodes.length > 0) {
      const node = nodes.pop()
      const { left, width: wide } = this.#box(node)
      if (wide < FlameView.#LEAST || left > width || left + wide < 0) continue
      const depth = tree.depth[node]
      if (depth > last) continue
      if (depth >= first) this.#paintNode(node, left, wide, depth * FlameView.ROW - scroll)
      for (const child of tree.children[node]) nodes.push(child)
    }
  }

  #paintNode(node, left, wide, top) {
    const { context } = this
    const width = this.canvas.clientWidth
    const x = Math.max(left, -4)
    const right = Math.min(left + wide, width + 4)
    const gap = wide > 3 ? 1 : 0
    const box = [x, top, Math.max(right - x - gap, 0.5), FlameView.ROW - 1]
    const { fill, text } = this.colours(this.tree, node)
    const isDim = this.matches !== null && !this.matches.has(node)
    const isAncestor = this.tree.depth[node] < this.tree.depth[this.zoomed]
    context.globalAlpha = isDim ? 0.22 : isAncestor ? 0.55 : 1
    context.fillStyle = fill
    context.beginPath()
    context.roundRect(...box, wide > 6 ? 3 : 0)
    context.fill()
    if (node === this.selected || node === this.hovered) {
      context.globalAlpha = 1
      context.lineWidth = 2
      context.strokeStyle = text
      context.beginPath()
      context.roundRect(box[0] + 1, box[1] + 1, Math.max(box[2] - 2, 0), box[3] - 2, 2)
      context.stroke()
    }
    const start = Math.max(x, 0) + 6
    const room = Math.min(right, width) - start - 5
    if (room > 14) {
      const label = this.#label(node, room)
      if (label !== '') {
        context.globalAlpha = isDim ? 0.45 : 1
        context.fillStyle = text
        context.fillText(label, start, top + FlameView.ROW / 2)
      }
    }
    context.globalAlpha = 1
  }

  // The longest form of the name that fits, cut if none does.
  #label(node, room) {
    const name = this.tree.name(node)
    let forms = this.labels.get(name)
    if (!forms) {
      forms = Format.forms(name).map((text) => [text, this.context.measureText(text).width])
      this.labels.set(name, forms)
    }
    for (const [text, width] of forms) if (width <= room) return text
    const [text, width] = forms[forms.length - 1]
    const letters = Math.floor((room / width) * text.length) - 1
    return letters >= 2 ? `${text.slice(0, letters)}…` : ''
  }

  #nodeAt(event) {
    const box = this.canvas.getBoundingClientRect()
    const x = event.clientX - box.left
    const row = Math.floor((event.clientY - box.top + this.scroller.scrollTop) / FlameView.ROW)
    const at = this.from + (x / this.canvas.clientWidth) * (this.to - this.from)
    let node = 0
    for (let depth = 0; depth < row; ++depth) {
      const inside = (child) =>
        at >= this.tree.left[child] && at < this.tree.left[child] + this.tree.width[child]
      const next = this.tree.children[node].find(inside)
      if (next === undefined) return -1
      node = next
    }
    return this.#box(node).width < FlameView.#LEAST ? -1 : node
  }

  #hover(node, x = 0, y = 0) {
    if (node !== this.hovered) {
      this.hovered = node
      this.canvas.style.cursor = node < 0 ? 'default' : 'pointer'
      this.draw()
    }
    this.events.hover(node, x, y, 'mouse')
  }

  #onMove(event) {
    const box = this.scroller.getBoundingClientRect()
    this.#hover(this.#nodeAt(event), event.clientX - box.left, event.clientY - box.top)
  }

  #onClick(event) {
    const node = this.#nodeAt(event)
    if (node < 0) return
    this.selected = node
    this.zoomTo(node)
  }

  // With Ctrl: a free zoom around the pointer.
  #onWheel(event) {
    if (!event.ctrlKey && !event.metaKey) return
    event.preventDefault()
    const at = this.from + (event.offsetX / this.canvas.clientWidth) * (this.to - this.from)
    const factor = Math.exp(event.deltaY * 0.004)
    this.from = Math.max(0, at - (at - this.from) * factor)
    this.to = Math.min(1, at + (this.to - at) * factor)
    this.draw()
  }

  #onKey(event) {
    const { tree } = this
    if (event.ctrlKey || event.metaKey || event.altKey) return
    const node = this.selected < 0 ? this.zoomed : this.selected
    const siblings = node === 0 ? [0] : tree.children[tree.parent[node]]
    const at = siblings.indexOf(node)
    const step = {
      ArrowUp: () => this.select(tree.parent[node]),
      ArrowDown: () => this.select(tree.children[node][0] ?? node),
      ArrowLeft: () => this.select(siblings[at - 1] ?? node),
      ArrowRight: () => this.select(siblings[at + 1] ?? node),
      Home: () => this.select(0),
      Enter: () => this.zoomTo(node),
      Backspace: () => this.zoomTo(tree.parent[this.zoomed]),
    }[event.key]
    if (!step) return
    event.preventDefault()
    step()
  }
}
