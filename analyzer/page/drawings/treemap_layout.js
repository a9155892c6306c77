// Squarified rectangles (Bruls, Huizing, van Wijk) and the tree from which they are made. Knows
// nothing about pages.

// Rectangles for `items` ({size}, preferably largest first) that fill `box` ({x, y, width, height})
// in proportion to their sizes. Sizes of 0 get no room.
function squarify(items, box) {
  const all = items.reduce((sum, item) => sum + item.size, 0)
  const out = []
  if (all <= 0 || box.width <= 0 || box.height <= 0) return items.map(() => ({ x: box.x, y: box.y, width: 0, height: 0 }))
  const scale = (box.width * box.height) / all
  let { x, y, width, height } = box

  // How far the worst rectangle in a row of length `side` is from a square.
  const worst = (areas, side) => {
    const sum = areas.reduce((a, b) => a + b, 0)
    return Math.max((side * side * Math.max(...areas)) / (sum * sum), (sum * sum) / (side * side * Math.min(...areas)))
  }
  const place = (areas) => {
    const sum = areas.reduce((a, b) => a + b, 0)
    const upright = width >= height
    const side = upright ? height : width
    const depth = side > 0 ? sum / side : 0
    let along = upright ? y : x
    for (const area of areas) {
      const length = depth > 0 ? area / depth : 0
      out.push(upright ? { x, y: along, width: depth, height: length } : { x: along, y, width: length, height: depth })
      along += length
    }
    if (upright) [x, width] = [x + depth, width - depth]
    else [y, height] = [y + depth, height - depth]
  }

  let row = []
  for (const { size } of items) {
    const area = size * scale
    const side = Math.min(width, height)
    if (row.length > 0 && (area <= 0 || worst([...row, area], side) > worst(row, side))) {
      place(row)
      row = []
    }
    row.push(area)
  }
  if (row.length > 0) place(row)
  return out
}

// The cells of treemap_data.h as a tree. -1 is the whole heap.
class TreemapTree {
  constructor(data) {
    this.data = data
    this.cells = data.cells
    this.size = data.cells.parent.length
    this.children = Array.from({ length: this.size }, () => [])
    this.tops = []
    for (let i = 0; i < this.size; ++i) {
      const parent = this.cells.parent[i]
      const beside = parent < 0 ? this.tops : this.children[parent]
      beside.push(i)
    }
    this.hasBefore = this.cells.retainedBefore !== null
    this.suspectOf = new Map()  // by cell: the first leak suspect there
    data.suspects.forEach(({ cell }, i) => {
      if (cell >= 0 && !this.suspectOf.has(cell)) this.suspectOf.set(cell, i)
    })
  }

  bytes(cell) { return cell < 0 ? this.data.bytes : this.cells.bytes[cell] }
  retained(cell) { return cell < 0 ? this.data.bytes : this.cells.retained[cell] }
  objects(cell) { return cell < 0 ? this.data.objects : this.cells.objects[cell] }
  share(cell) { return this.data.bytes === 0 ? 0 : this.retained(cell) / this.data.bytes }
  below(cell) { return cell < 0 ? this.tops : this.children[cell] }
  parent(cell) { return cell < 0 ? -1 : this.cells.parent[cell] }
  text(index) { return index < 0 ? '' : this.data.texts[index] }
  type(cell) { return this.text(this.cells.type[cell]) }
  brief(cell) { return this.text(this.cells.brief[cell]) }
  path(cell) { return this.cells.path[cell].map((index) => this.text(index)) }

  // static Shop.Cache._items -> Cache._items; others contain a blank: stack Shop.Program.Main ->
  // stack Program.Main
  edge(cell) {
    const edge = this.text(this.cells.edge[cell])
    if (edge.startsWith('(')) return edge.slice(1, -1)
    const words = edge.split(' ')
    const name = words.pop().split('.').slice(-2).join('.')
    return [...words.filter((word) => word !== 'static'), name].join(' ')
  }

  label(cell) {
    if (cell < 0) return 'All live objects'
    if (this.cells.edge[cell] < 0) return this.brief(cell)
    const edge = this.edge(cell)
    return edge.includes(' ') ? `${this.brief(cell)} (${edge})` : `${edge}: ${this.brief(cell)}`
  }

  // 'application': its own types. 'held': the framework's types, held by the application's.
  // 'framework'.
  kind(cell) {
    if (TreemapTree.#isApplications(this.type(cell))) return 'application'
    return this.way(cell).some((at) => TreemapTree.#isApplications(this.type(at)) ||
      /^(static|thread static|stack) (?!System\.|Microsoft\.|Internal\.|Interop)/.test(this.text(this.cells.edge[at])))
      ? 'held' : 'framework'
  }

  static #isApplications(type) {
    return !/^(System|Microsoft|Internal|Interop)\b|^[a-z]+(\?|\[|\*|$)|^[?(]|^MS\./.test(type)
  }

  // How much it grew, as a share of the current heap; 0 without an earlier one.
  growth(cell) {
    if (!this.hasBefore || cell < 0) return 0
    return (this.cells.retained[cell] - this.cells.retainedBefore[cell]) / Math.max(1, this.data.bytes)
  }

  // The path from the top down to it.
  way(cell) {
    const way = []
    for (let at = cell; at >= 0; at = this.cells.parent[at]) way.unshift(at)
    return way
  }

  // What is drawn within a cell: its children of at least `least` bytes, what its own objects take,
  // and the rest, with the number of children in it.
  parts(cell, least) {
    const below = this.below(cell)
    const parts = below.filter((child) => this.bytes(child) >= least)
      .map((child) => ({ cell: child, size: this.bytes(child), kind: 'cell' }))
    const own = cell < 0 ? 0 : this.cells.own[cell]
    const rest = this.bytes(cell) - own - parts.reduce((sum, part) => sum + part.size, 0)
    const count = below.length - parts.length
    if (own > 0) parts.push({ cell, size: own, kind: 'own' })
    parts.sort((a, b) => b.size - a.size)
    if (rest > 0) parts.push({ cell, size: rest, kind: 'rest', count })
    return parts
  }

  // Nested cells with almost nothing next to them are one box, down to the last of them.
  run(cell) {
    const run = [cell]
    for (;;) {
      const last = run[run.length - 1]
      const only = this.children[last][0]
      if (only === undefined || this.bytes(only) < 0.985 * this.bytes(cell)) return run
      run.push(only)
    }
  }
}
