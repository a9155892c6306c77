// What a FlamePanel shows, as texts for an address, so that a link shows the same.
const FlameState = {
  names: ['measure', 'widths', 'colors', 'fold', 'search', 'hit', 'zoom', 'function', 'callers', 'callees'],

  // {name: text}; initial values are omitted.
  of(panel) {
    const { data, main, callers, callees, search, middle } = panel
    const state = {
      measure: panel.measure > 0 ? String(panel.measure) : '',
      widths: panel.widths.replace('now', ''),
      colors: panel.changes ? panel.find('colours').value.replace('change', '') : '',
      fold: [...panel.hidden].sort((a, b) => a - b).map((kind) => data.kinds[kind]).join(','),
      search: search.field.value.trim(),
      hit: search.at < 0 ? '' : String(search.at + 1),
      zoom: FlameState.zoomOf(main),
      function: middle < 0 ? '' : FlameIds.ofFrame(data, middle),
      callers: middle < 0 ? '' : FlameState.zoomOf(callers),
      callees: middle < 0 ? '' : FlameState.zoomOf(callees),
    }
    return Object.fromEntries(Object.entries(state).filter(([, text]) => text !== ''))
  },

  // The zoomed call; or, for a free zoom, the part of its width: "ID", "ID@0.25-0.5", "@0.25-0.5".
  zoomOf({ tree, zoomed, from, to, goal }) {
    const [left, right] = goal ?? [from, to]
    const id = zoomed === 0 ? '' : FlameIds.ofNode(tree, zoomed)
    const isWhole = Math.abs(left - tree.left[zoomed]) + Math.abs(right - tree.left[zoomed] - tree.width[zoomed]) < 1e-9
    return isWhole ? id : `${id}@${Number(left.toPrecision(7))}-${Number(right.toPrecision(7))}`
  },

  // Unknown or wrong values are ignored.
  zoom(view, text = '') {
    const [id, part = ''] = text.split('@')
    const [from, to] = part.split('-').map(Number)
    const node = FlameIds.node(view.tree, id)
    if (from >= 0 && to > from && to <= 1) view.jumpTo(node, from, to)
    else view.jumpTo(node)
    // As after a click.
    if (node === 0) return
    view.selected = node
    view.events.select(node)
  },

  // Converts to and from the fragment or the query of an address.
  text(state) { return new URLSearchParams(state).toString() },
  parse(text) { return Object.fromEntries(new URLSearchParams(text)) },
}

// Identifiers of calls and functions: the same in each FlameTree, whatever is folded and measured
// in it.
const FlameIds = {
  ofFrame(data, frame) { return FlameIds.text(FlameIds.hashes(data, frame)) },

  // -1: there is none.
  frame(data, id) { return id ? data.frames.name.findIndex((_, frame) => FlameIds.ofFrame(data, frame) === id) : -1 },

  ofNode(tree, node) {
    const frames = []
    for (let at = node; at !== 0; at = tree.parent[at]) frames.unshift(tree.frame[at])
    return FlameIds.text(frames.reduce((id, frame) => FlameIds.below(id, FlameIds.hashes(tree.data, frame)), [1, 2]))
  },

  // 0: there is none.
  node(tree, id) {
    if (!id) return 0
    const ofFrames = tree.data.frames.name.map((_, frame) => FlameIds.hashes(tree.data, frame))
    const ids = [[1, 2]]
    for (let node = 1; node < tree.size; ++node) {
      ids.push(FlameIds.below(ids[tree.parent[node]], ofFrames[tree.frame[node]]))
      if (FlameIds.text(ids[node]) === id) return node
    }
    return 0
  },

  // Two 32-bit numbers, so that two calls of a recording are unlikely to have the same ones.
  hashes({ modules, frames }, frame) {
    const text = `${modules[frames.module[frame]]}\n${frames.name[frame]}`
    return [FlameColouring.hash(text), FlameColouring.hash(text, 0x9747b28c)]
  },
  below(id, frame) { return id.map((part, i) => Math.imul(((part << 5) | (part >>> 27)) ^ frame[i], 16777619)) },
  text(id) { return id.map((part) => (part >>> 0).toString(36).padStart(7, '0')).join('') },
}
