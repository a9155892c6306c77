// The flame graph itself: draws a FlameTree on a canvas and lets users navigate in it. The root is
// at the top, or at the bottom if the graph grows `upward`.
//
// `events`: {hover(node, x, y, by), zoom(node), select(node), move()}; node -1: none; move: a
// different part is shown.
class FlameView {
  static ROW = FlamePainting.ROW
  static #READABLE = 60  // minimum width in pixels of a call that is brought into view

  constructor(scroller, events, upward = false) {
    this.scroller = scroller
    this.upward = upward
    this.canvas = scroller.querySelector('canvas')
    this.spacer = scroller.querySelector('.spacer')
    this.context = this.canvas.getContext('2d')
    this.events = events
    this.from = 0
    this.to = 1
    this.zoomed = 0
    this.selected = -1
    this.hovered = -1
    this.goal = null  // target of the animation: [from, to]
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
    this.goal = null
    cancelAnimationFrame(this.gliding)
    this.spacer.style.height = `${(tree.deepest + 1) * FlameView.ROW}px`
    this.scroller.style.setProperty('--rows', tree.deepest + 1)
    this.events.zoom(0)
    this.#resize()
    this.scroller.scrollTop = this.upward ? this.scroller.scrollHeight : 0
  }

  // Immediately, because printing does not wait.
  recolour(colours) {
    this.colours = colours
    this.#paint()
  }

  mark(nodes) {
    this.matches = nodes
    this.draw()
  }

  // `done()` is called on arrival.
  zoomTo(node, done = () => {}) {
    this.zoomed = node
    this.events.zoom(node)
    this.#glideTo(this.tree.left[node], this.tree.left[node] + this.tree.width[node], done)
  }

  // Without animation. The visible part of the width is that of the node, unless another one is
  // given.
  jumpTo(node, from = this.tree.left[node], to = from + this.tree.width[node]) {
    cancelAnimationFrame(this.gliding)
    this.zoomed = node
    this.goal = null
    this.from = from
    this.to = to
    this.events.zoom(node)
    this.draw()
  }

  // Selects the node and brings it into view, readable: without zooming, or zoomed to the outermost
  // of its callers that leaves it wide enough.
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

  // The position of the row in the scroller's content.
  #top(depth) {
    if (!this.upward) return depth * FlameView.ROW
    const height = Math.max((this.tree.deepest + 1) * FlameView.ROW, this.scroller.clientHeight)
    return height - (depth + 1) * FlameView.ROW
  }

  select(node) {
    this.selected = node
    this.events.select(node)
    const top = this.#top(this.tree.depth[node])
    if (top < this.scroller.scrollTop) this.scroller.scrollTop = top
    const bottom = top + FlameView.ROW - this.scroller.clientHeight
    if (bottom > this.scroller.scrollTop) this.scroller.scrollTop = bottom
    const { left, width } = this.#box(node)
    const x = Math.max(0, Math.min(left + width / 2, this.canvas.clientWidth))
    this.events.hover(node, x, top - this.scroller.scrollTop + FlameView.ROW, 'keyboard')
    this.draw()
  }

  // Shows what is pointed at or selected in another graph of the same calls, without reporting it.
  mirror(what, node) {
    if (what === 'point') this.hovered = node
    else this.selected = node
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
    // Shows the root first, once there is something to see.
    if (this.upward && height > 0 && !(this.height > 0)) this.scroller.scrollTop = this.scroller.scrollHeight
    this.height = height
    this.labels.clear()
    this.draw()
  }

  #glideTo(from, to, done) {
    cancelAnimationFrame(this.gliding)
    this.goal = [from, to]
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

  // The visible part, as FlamePainting takes it.
  part() {
    const { tree, from, to, colours, matches, zoomed, labels } = this
    return { tree, from, to, colours, matches, zoomed, labels, width: this.canvas.clientWidth,
      marked: [this.selected, this.hovered], top: (depth) => this.#top(depth) }
  }

  #paint() {
    const { context, scroller } = this
    if (!this.tree) return
    // After a move to another place in the page, it may have its size again before it was noticed
    // that it had none.
    if (this.canvas.clientWidth !== scroller.clientWidth) this.#resize()
    const [width, height, scroll] = [this.canvas.clientWidth, this.canvas.clientHeight, scroller.scrollTop]
    context.clearRect(0, 0, width, height)
    const part = this.part()
    FlamePainting.paint(FlamePainting.canvasPen(context, getComputedStyle(scroller).font),
      { ...part, top: (depth) => part.top(depth) - scroll, least: 0, most: height })
  }

  #nodeAt(event) {
    const box = this.canvas.getBoundingClientRect()
    const x = event.clientX - box.left
    const row = Math.floor((event.clientY - box.top + this.scroller.scrollTop - this.#top(0)) / FlameView.ROW)
    const last = this.upward ? -row : row
    if (last < 0) return -1
    const at = this.from + (x / this.canvas.clientWidth) * (this.to - this.from)
    let node = 0
    for (let depth = 0; depth < last; ++depth) {
      const inside = (child) =>
        at >= this.tree.left[child] && at < this.tree.left[child] + this.tree.width[child]
      const next = this.tree.children[node].find(inside)
      if (next === undefined) return -1
      node = next
    }
    return this.#box(node).width < FlamePainting.LEAST ? -1 : node
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
    this.events.select(node)
    this.zoomTo(node)
  }

  // With Ctrl: a free zoom around the pointer.
  #onWheel(event) {
    if (!event.ctrlKey && !event.metaKey) return
    event.preventDefault()
    cancelAnimationFrame(this.gliding)
    this.goal = null
    const at = this.from + (event.offsetX / this.canvas.clientWidth) * (this.to - this.from)
    const factor = Math.exp(event.deltaY * 0.004)
    this.from = Math.max(0, at - (at - this.from) * factor)
    this.to = Math.min(1, at + (this.to - at) * factor)
    this.events.move()
    this.draw()
  }

  #onKey(event) {
    const { tree } = this
    if (event.ctrlKey || event.metaKey || event.altKey) return
    const node = this.selected < 0 ? this.zoomed : this.selected
    const siblings = node === 0 ? [0] : tree.children[tree.parent[node]]
    const at = siblings.indexOf(node)
    const [toRoot, fromRoot] = this.upward ? ['ArrowDown', 'ArrowUp'] : ['ArrowUp', 'ArrowDown']
    const step = {
      [toRoot]: () => this.select(tree.parent[node]),
      [fromRoot]: () => this.select(tree.children[node][0] ?? node),
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
