// A profile as a tree of calls: amounts, places, folding and search. Knows nothing about pages.
//
// `data`: {measures: [{name, unit}], totals, baseTotals, kinds: [name], frames: {name, module,
// kind}, modules: [name], nodes: {parent, frame, self, base}}. Node 0 is the root; parents come
// before their children; `self` and `base` have one column for each measure (`base` is null without
// a baseline). `root`: the frame of node 0, if it is a call (sandwich.js).
class FlameTree {
  constructor(data, hiddenKinds = new Set()) {
    this.data = data
    this.hasBase = data.nodes.base !== null
    this.#fold(hiddenKinds)
    this.#addUp()
  }

  get size() { return this.parent.length }
  // The number of the node's frame; -1: the root, if it is not a call.
  frameOf(node) { return node === 0 ? this.data.root ?? -1 : this.frame[node] }
  name(node) {
    const frame = this.frameOf(node)
    return frame < 0 ? 'all' : this.data.frames.name[frame]
  }
  kind(node) {
    const frame = this.frameOf(node)
    return frame < 0 ? -1 : this.data.frames.kind[frame]
  }
  module(node) {
    const frame = this.frameOf(node)
    return frame < 0 ? '' : this.data.modules[this.data.frames.module[frame]]
  }
  // In the recording, or in its baseline.
  amount(node, measure, base = false) { return (base ? this.baseTotal : this.total)[measure][node] }
  selfAmount(node, measure, base = false) { return (base ? this.base : this.self)[measure][node] }
  // As a share of the whole recording.
  share(node, measure, base = false) {
    const all = (base ? this.data.baseTotals : this.data.totals)[measure]
    return all === 0 ? 0 : this.amount(node, measure, base) / all
  }
  // The change of the node's share since the baseline: -1 to 1.
  change(node, measure) {
    return this.hasBase ? this.share(node, measure) - this.share(node, measure, true) : 0
  }

  // Merges frames of hidden kinds into their callers, and then equal paths.
  #fold(hidden) {
    const { nodes, frames } = this.data
    const columns = nodes.self.length
    const place = new Int32Array(nodes.parent.length)
    const children = new Map()
    this.parent = [0]
    this.frame = [0]
    this.self = Array.from({ length: columns }, () => [0])
    this.base = this.hasBase ? Array.from({ length: columns }, () => [0]) : null
    for (let node = 0; node < nodes.parent.length; ++node) {
      if (node > 0) {
        const parent = place[nodes.parent[node]]
        const frame = nodes.frame[node]
        if (hidden.has(frames.kind[frame])) {
          place[node] = parent
        } else {
          const key = parent * frames.name.length + frame
          let made = children.get(key)
          if (made === undefined) {
            made = this.parent.length
            children.set(key, made)
            this.parent.push(parent)
            this.frame.push(frame)
            for (const column of this.self) column.push(0)
            for (const column of this.base ?? []) column.push(0)
          }
          place[node] = made
        }
      }
      for (let i = 0; i < columns; ++i) {
        this.self[i][place[node]] += nodes.self[i][node]
        if (this.base) this.base[i][place[node]] += nodes.base[i][node]
      }
    }
  }

  #addUp() {
    const sum = (column) => {
      const total = Float64Array.from(column)
      for (let node = this.size - 1; node > 0; --node) total[this.parent[node]] += total[node]
      return total
    }
    this.total = this.self.map(sum)
    this.baseTotal = this.base ? this.base.map(sum) : null
    this.depth = new Int32Array(this.size)
    this.deepest = 0
    for (let node = 1; node < this.size; ++node) {
      this.depth[node] = this.depth[this.parent[node]] + 1
      if (this.depth[node] > this.deepest) this.deepest = this.depth[node]
    }
  }

  // Places all nodes by `measure`: left and width as shares of the root's; children from the left
  // by decreasing amount.
  layOut(measure, byBase) {
    const amounts = (byBase ? this.baseTotal : this.total)[measure]
    const all = amounts[0]
    this.children = Array.from({ length: this.size }, () => [])
    for (let node = 1; node < this.size; ++node) this.children[this.parent[node]].push(node)
    this.left = new Float64Array(this.size)
    this.width = new Float64Array(this.size)
    this.width[0] = 1
    for (let node = 0; node < this.size; ++node) {
      let left = this.left[node]
      this.children[node].sort((a, b) => amounts[b] - amounts[a] || a - b)
      for (const child of this.children[node]) {
        this.left[child] = left
        this.width[child] = all === 0 ? 0 : amounts[child] / all
        left += this.width[child]
      }
    }
  }

  // Nodes whose names match `pattern`: {nodes: Set, hits: the nodes with a width, in reading order:
  // each before its callees, callees from the left; amount: the total of the outermost ones}. null
  // for an empty pattern; an invalid regular expression is searched literally.
  search(pattern, measure, byBase) {
    if (pattern === '') return null
    let expression
    try {
      expression = new RegExp(pattern, 'i')
    } catch {
      expression = new RegExp(pattern.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'), 'i')
    }
    const matches = this.data.frames.name.map((name) => expression.test(name))
    const nodes = new Set()
    const inside = new Uint8Array(this.size)
    let amount = 0
    for (let node = 0; node < this.size; ++node) {
      inside[node] = inside[this.parent[node]]
      if (!matches[this.frameOf(node)]) continue
      nodes.add(node)
      if (!inside[node]) amount += this.amount(node, measure, byBase)
      inside[node] = 1
    }
    return { nodes, amount, hits: this.#asRead(nodes) }
  }

  #asRead(nodes) {
    const hits = []
    const next = nodes.size === 0 ? [] : [0]
    while (next.length > 0) {
      const node = next.pop()
      if (this.width[node] <= 0) continue
      if (nodes.has(node)) hits.push(node)
      for (let i = this.children[node].length - 1; i >= 0; --i) next.push(this.children[node][i])
    }
    return hits
  }

  // Self amounts by kind.
  byKind(measure) {
    const sums = this.data.kinds.map(() => 0)
    for (let node = 1; node < this.size; ++node) sums[this.kind(node)] += this.self[measure][node]
    return sums
  }
}
