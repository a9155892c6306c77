// Where the nodes of a wait graph stand, and the curves between them. The same data gives the same
// picture. Knows nothing of pages.
//
// Circles are drawn as circles: on an ellipse in the order of waiting, a node that many edges meet in its
// middle; long ones as two columns, down and up again; where there is no room as one column. Crowds stand
// outside, beside what they wait for.
class WaitGraphLayout {
  static NODE = { width: 172, height: 48 }
  static CROWD = { width: 196, height: 48 }
  static #MOST_ON_ELLIPSE = 12

  // `width`: pixels there are.
  constructor(graph, width) {
    this.graph = graph
    this.nodes = graph.nodes.map(() => ({ x: 0, y: 0, ...WaitGraphLayout.NODE }))
    const hub = this.#hub()
    const ring = this.nodes.map((_, i) => i).filter((i) => i !== hub)
    this.isNarrow = width < 640
    if (this.isNarrow) this.#column(width)
    else if (ring.length > WaitGraphLayout.#MOST_ON_ELLIPSE) this.#columns(ring, hub, width)
    else this.#ellipse(ring, hub, width)
    this.crowds = this.isNarrow ? this.#crowdsBeside(width) : this.#crowdsOutside()
    this.#fit()
    this.edges = graph.edges.map((edge) => this.#edge(edge))
    this.#fitEdges()
  }

  // A node that five and more edges meet, more than any other one; -1: none.
  #hub() {
    const degrees = this.nodes.map(() => 0)
    for (const { from, to } of this.graph.edges) {
      ++degrees[from]
      ++degrees[to]
    }
    const most = Math.max(0, ...degrees)
    const first = degrees.indexOf(most)
    return most >= 5 && degrees.lastIndexOf(most) === first ? first : -1
  }

  #ellipse(ring, hub, width) {
    const count = ring.length
    const room = width / 2 - WaitGraphLayout.NODE.width / 2 - 8
    const crowded = this.graph.crowds.some((crowd) => crowd.node >= 0) ? 120 : 0
    const rx = count < 2 ? 0 : Math.max(150, Math.min(room - crowded, 110 + count * 30))
    const ry = count < 2 ? 0 : Math.max(count < 4 && hub < 0 ? 100 : 118, count * 24)
    ring.forEach((node, i) => {
      const angle = -Math.PI / 2 + (2 * Math.PI * i) / count
      Object.assign(this.nodes[node], { x: rx * Math.cos(angle), y: ry * Math.sin(angle) })
    })
  }

  // Down on the right, up on the left.
  #columns(ring, hub, width) {
    const rows = Math.ceil(ring.length / 2)
    const side = Math.min(width / 2 - 110, hub >= 0 ? 300 : 190)
    ring.forEach((node, i) => {
      const row = i < rows ? i : ring.length - 1 - i
      Object.assign(this.nodes[node], { x: i < rows ? side : -side, y: (row - (rows - 1) / 2) * 92 })
    })
  }

  #column(width) {
    const size = Math.min(WaitGraphLayout.NODE.width + 60, width - 76)
    let y = 0
    this.nodes.forEach((node, i) => {
      Object.assign(node, { x: 0, y, width: size })
      y += 92 + 62 * this.#crowdsOf(i).length
    })
  }

  #crowdsOf(node) { return this.graph.crowds.filter((crowd) => crowd.node === node) }

  #crowdsBeside() {
    const seen = new Map()
    return this.graph.crowds.map((crowd) => {
      if (crowd.node < 0) return null
      const at = this.nodes[crowd.node]
      const place = seen.get(crowd.node) ?? 0
      seen.set(crowd.node, place + 1)
      return { x: at.x + 14, y: at.y + 74 + 62 * place, width: at.width - 12, height: WaitGraphLayout.CROWD.height }
    })
  }

  #crowdsOutside() {
    const seen = new Map()
    const far = this.nodes.reduce((most, node) => Math.max(most, Math.abs(node.x)), 1)
    return this.graph.crowds.map((crowd) => {
      if (crowd.node < 0) return null
      const at = this.nodes[crowd.node]
      const place = seen.get(crowd.node) ?? 0
      seen.set(crowd.node, place + 1)
      const aside = Math.abs(at.x) > 0.62 * far || this.nodes.length > WaitGraphLayout.#MOST_ON_ELLIPSE
      const sign = (value) => (value < 0 ? -1 : 1)
      return aside
        ? { x: at.x + sign(at.x) * 264, y: at.y + place * 66 * sign(at.y), ...WaitGraphLayout.CROWD }
        : { x: at.x + place * 208 * sign(at.x), y: at.y + sign(at.y) * 104, ...WaitGraphLayout.CROWD }
    })
  }

  // Moves all so that nothing is left of, or above, the origin.
  #fit() {
    const all = [...this.nodes, ...this.crowds.filter((crowd) => crowd)]
    const edge = (side, size, sign) => all.map((box) => box[side] + (sign * box[size]) / 2)
    const left = Math.min(...edge('x', 'width', -1))
    const top = Math.min(...edge('y', 'height', -1))
    const back = this.isNarrow ? 44 : 12
    for (const box of all) {
      box.x += back - left
      box.y += 12 - top
    }
    this.width = Math.max(...edge('x', 'width', 1)) + 12
    this.height = Math.max(...edge('y', 'height', 1)) + 14
    this.middle = this.nodes.reduce((sum, node) => ({ x: sum.x + node.x / this.nodes.length, y: sum.y + node.y / this.nodes.length }), { x: 0, y: 0 })
  }

  // Curves may lean out of what the boxes take.
  #fitEdges() {
    for (const { label, lean } of this.edges) {
      this.width = Math.max(this.width, label.x + 40, lean.x + 8)
      this.height = Math.max(this.height, label.y + 12, lean.y + 8)
    }
  }

  // Where the line from the middle of `box` towards a point leaves it.
  static #border(box, to) {
    const dx = to.x - box.x
    const dy = to.y - box.y
    if (dx === 0 && dy === 0) return { x: box.x, y: box.y }
    const part = Math.min(dx === 0 ? Infinity : (box.width / 2 + 3) / Math.abs(dx), dy === 0 ? Infinity : (box.height / 2 + 3) / Math.abs(dy))
    return { x: box.x + dx * part, y: box.y + dy * part }
  }

  static between(from, to, bend = { x: 0, y: 0 }) {
    const control = { x: (from.x + to.x) / 2 + bend.x, y: (from.y + to.y) / 2 + bend.y }
    const start = WaitGraphLayout.#border(from, control)
    const end = WaitGraphLayout.#border(to, control)
    const at = (part) => ({
      x: (1 - part) ** 2 * start.x + 2 * part * (1 - part) * control.x + part ** 2 * end.x,
      y: (1 - part) ** 2 * start.y + 2 * part * (1 - part) * control.y + part ** 2 * end.y,
    })
    const round = (value) => Math.round(value * 10) / 10
    return {
      path: `M${round(start.x)} ${round(start.y)}Q${round(control.x)} ${round(control.y)} ${round(end.x)} ${round(end.y)}`,
      label: at(0.5), lean: at(0.5),
    }
  }

  // In a column: beside it, the further away the longer the way is.
  #beside(from, to) {
    const lane = Math.min(34, 12 + 5 * Math.abs(this.nodes.indexOf(to) - this.nodes.indexOf(from)))
    const x = from.x - from.width / 2
    const out = Math.max(6, x - lane)
    const r = 10
    const down = to.y > from.y ? 1 : -1
    const end = to.x - to.width / 2 - 3
    return {
      path: `M${x} ${from.y}H${out + r}Q${out} ${from.y} ${out} ${from.y + down * r}V${to.y - down * r}Q${out} ${to.y} ${out + r} ${to.y}H${end}`,
      label: { x: out, y: (from.y + to.y) / 2 }, lean: { x: out, y: (from.y + to.y) / 2 }, isUpright: true,
    }
  }

  #edge({ from, to }) {
    const [a, b] = [this.nodes[from], this.nodes[to]]
    if (this.isNarrow) return to === from + 1 && this.#crowdsOf(from).length === 0 ? WaitGraphLayout.between(a, b) : this.#beside(a, b)
    const mid = { x: (a.x + b.x) / 2, y: (a.y + b.y) / 2 }
    const ring = Math.abs(from - to) === 1 || Math.abs(from - to) === this.nodes.length - 1
    const isRound = this.nodes.length <= WaitGraphLayout.#MOST_ON_ELLIPSE + 1 && this.#hub() < 0
    if (ring && isRound && this.nodes.length > 2) {
      return WaitGraphLayout.between(a, b, { x: (mid.x - this.middle.x) * 0.22, y: (mid.y - this.middle.y) * 0.22 })
    }
    // Aside, so that two edges between the same nodes are two curves.
    const isPair = this.graph.edges.some((other) => other.from === to && other.to === from)
    const length = Math.max(1, Math.hypot(b.x - a.x, b.y - a.y))
    const bend = isPair ? 34 : 0
    return WaitGraphLayout.between(a, b, { x: (-(b.y - a.y) / length) * bend, y: ((b.x - a.x) / length) * bend })
  }
}
