// Where the nodes of a wait graph are placed, and the curves between them. The same data always
// gives the same picture. Knows nothing about pages.
//
// Circles are drawn as circles: a few nodes on an ellipse in the order of waiting, with a node that
// has many edges in its middle; more nodes in two columns, down and up again; or, if there is no
// room, in one column with the way back next to it. A crowd is placed next to what it waits for.
class WaitGraphLayout {
  static #HEIGHT = 48
  static #MOST_ON_ELLIPSE = 6

  // `width`: the available pixels.
  constructor(graph, width) {
    this.graph = graph
    const size = width < 800 ? 150 : 172
    this.nodes = graph.nodes.map(() => ({ x: 0, y: 0, width: size, height: WaitGraphLayout.#HEIGHT }))
    this.hub = this.#hub()
    const ring = this.nodes.map((_, i) => i).filter((i) => i !== this.hub)
    const attached = graph.crowds.filter((crowd) => crowd.node >= 0).length
    this.isNarrow = width < 500
    if (this.isNarrow) {
      this.#column(width)
    } else if (graph.kind === 'queue') {
      this.#row(width)
    } else if (ring.length > (this.hub < 0 ? WaitGraphLayout.#MOST_ON_ELLIPSE : 8)) {
      this.#columns(ring, width)
    } else if (attached === 0 || width >= 860 || (attached === 1 && this.hub < 0 && ring.length > 2)) {
      this.#ellipse(ring, width, width >= 860 && attached > 0)
    } else {
      this.isNarrow = true
      this.#column(width)
    }
    this.#fit()
    this.#lanes = [0, 0]
    this.edges = graph.edges.map((edge) => this.#edge(edge))
    this.#fitEdges()
  }

  #lanes

  // A node with at least five edges, and more than any other one; -1: none.
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

  // From left to right, crowds first; in a column if that is too wide.
  #row(width) {
    const step = this.nodes[0].width + 58
    if (step * this.nodes.length + this.nodes[0].width + 40 > width) {
      this.isNarrow = true
      this.#column(width)
      return
    }
    this.nodes.forEach((node, i) => Object.assign(node, { x: i * step, y: 0 }))
    const first = this.graph.crowds.filter((crowd) => crowd.node === 0).length
    this.crowds = this.#placed((at, place) => (at === this.nodes[0]
      ? { x: -step, y: (place - (first - 1) / 2) * 66 } : { x: at.x, y: 84 + place * 66 }))
  }

  // `outside`: there are crowds, and room for them next to the ellipse; otherwise, one may be in
  // its middle.
  #ellipse(ring, width, outside) {
    const count = ring.length
    const room = width / 2 - this.nodes[0].width / 2 - 10 - (outside ? 225 : 0)
    const rx = count < 2 ? 0 : Math.min(room, 130 + count * 24)
    const ry = count < 2 ? 0 : Math.max(118, count * (this.hub < 0 ? 25 : 33))
    ring.forEach((node, i) => {
      const angle = -Math.PI / 2 + (2 * Math.PI * i) / count
      Object.assign(this.nodes[node], { x: rx * Math.cos(angle), y: ry * Math.sin(angle) })
    })
    const middle = ry * (count === 3 ? 0.12 : 0)
    this.crowds = this.#placed((at, place) => {
      if (!outside) return { x: 0, y: middle + place * 62 }
      const sign = (value) => (value < 0 ? -1 : 1)
      return Math.abs(at.x) > 0.5 * rx ? { x: at.x + sign(at.x) * 232, y: at.y + place * 66 }
        : { x: at.x + (place + 1) * 222, y: at.y + sign(at.y) * 26 }
    })
  }

  // Down on the right, up on the left, crowds in between.
  #columns(ring, width) {
    const rows = Math.ceil(ring.length / 2)
    const side = Math.min(width / 2 - this.nodes[0].width / 2 - 10, 230)
    const rowOf = (i) => (i < rows ? i : ring.length - 1 - i)
    const free = Array.from({ length: rows + this.graph.crowds.length }, () => true)
    free[0] = free[rows - 1] = false  // where the circle passes from side to side
    ring.forEach((node, i) => {
      Object.assign(this.nodes[node], { x: i < rows ? side : -side, y: rowOf(i) * 92 })
    })
    if (this.hub >= 0) {
      Object.assign(this.nodes[this.hub], { x: 0, y: ((rows - 1) / 2) * 92 })
      free[Math.floor((rows - 1) / 2)] = free[Math.ceil((rows - 1) / 2)] = false
    }
    this.crowds = this.#placed((at) => {
      let row = Math.round(at.y / 92)
      while (!free[row]) row = (row + 1) % free.length
      free[row] = false
      return { x: 0, y: row * 92 }
    }, Math.min(this.nodes[0].width, 2 * side - this.nodes[0].width - 60))
  }

  #column(width) {
    const size = Math.min(232, width - 108)
    let y = 0
    this.nodes.forEach((node, i) => {
      Object.assign(node, { x: 0, y, width: size })
      y += 92 + 62 * this.graph.crowds.filter((crowd) => crowd.node === i).length
    })
    this.crowds = this.#placed((at, place) => ({ x: at.x, y: at.y + 74 + 62 * place }), size - 28)
  }

  // Boxes of the crowds; null for those that wait for something that is not shown. `place(at, i)`:
  // of the i-th one at the node at `at`.
  #placed(place, width = this.nodes[0].width + 16) {
    const seen = new Map()
    return this.graph.crowds.map(({ node }) => {
      if (node < 0) return null
      const count = seen.get(node) ?? 0
      seen.set(node, count + 1)
      return { ...place(this.nodes[node], count), width, height: WaitGraphLayout.#HEIGHT }
    })
  }

  // Moves everything so that nothing is left of, or above, the origin.
  #fit() {
    const all = [...this.nodes, ...this.crowds.filter((crowd) => crowd)]
    const edge = (side, size, sign) => all.map((box) => box[side] + (sign * box[size]) / 2)
    const left = Math.min(...edge('x', 'width', -1))
    const top = Math.min(...edge('y', 'height', -1))
    const margin = this.isNarrow ? 54 : 10
    for (const box of all) {
      box.x += margin - left
      box.y += 6 - top
    }
    this.width = Math.max(...edge('x', 'width', 1)) + margin
    this.height = Math.max(...edge('y', 'height', 1)) + 14
    const mean = (side) => this.nodes.reduce((sum, node) => sum + node[side], 0) / this.nodes.length
    this.middle = { x: mean('x'), y: mean('y') }
  }

  // Curves may extend beyond the boxes.
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
    const label = at(0.5)
    // Above a line that is shorter than its text.
    if (Math.abs(end.y - start.y) < 12 && Math.abs(end.x - start.x) < 84) label.y -= 11
    return {
      path: `M${round(start.x)} ${round(start.y)}Q${round(control.x)} ${round(control.y)} ${round(end.x)} ${round(end.y)}`,
      label, lean: at(0.5),
    }
  }

  // In a column: next to it, backward edges on the left and forward ones on the right, each in its
  // own lane as far as there are enough.
  #beside(from, to) {
    const isDown = to.y > from.y
    const side = isDown ? 1 : -1
    const lane = this.#lanes[isDown ? 1 : 0]++
    const out = (box) => box.x + (side * box.width) / 2
    const x = out(from) + side * Math.min(14 + 8 * lane, 46)
    const r = 9
    return {
      path: `M${out(from)} ${from.y}H${x - side * r}Q${x} ${from.y} ${x} ${from.y + side * r}V${to.y - side * r}Q${x} ${to.y} ${x - side * r} ${to.y}H${out(to) + side * 3}`,
      label: { x, y: (from.y + to.y) / 2 }, lean: { x, y: (from.y + to.y) / 2 }, isUpright: true, isCrowded: lane > 0,
    }
  }

  #edge({ from, to }) {
    const [a, b] = [this.nodes[from], this.nodes[to]]
    const isFree = !this.graph.crowds.some((crowd) => crowd.node === from)
    if (this.isNarrow) return to === from + 1 && isFree ? WaitGraphLayout.between(a, b) : this.#beside(a, b)
    const isOnEllipse = this.nodes.length > 2 && this.nodes.length <= WaitGraphLayout.#MOST_ON_ELLIPSE && this.hub < 0
    const steps = Math.abs(from - to)
    if (isOnEllipse && (steps === 1 || steps === this.nodes.length - 1)) {
      return WaitGraphLayout.between(a, b, { x: ((a.x + b.x) / 2 - this.middle.x) * 0.22, y: ((a.y + b.y) / 2 - this.middle.y) * 0.22 })
    }
    // Bent, so that two edges between the same nodes are two curves.
    const isPair = this.graph.edges.some((other) => other.from === to && other.to === from)
    const length = Math.max(1, Math.hypot(b.x - a.x, b.y - a.y))
    const bend = isPair ? 34 : 0
    return WaitGraphLayout.between(a, b, { x: (-(b.y - a.y) / length) * bend, y: ((b.x - a.x) / length) * bend })
  }
}
