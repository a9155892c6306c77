// Callers and callees of one function: merged over all its calls.
//
// If it calls itself, directly or indirectly, only the outermost call counts, so that both sides
// have the same total, and no time is counted twice.
const Sandwich = {
  // {callers, callees}: data for FlameTree. The root of both is the function; in the first, a child
  // calls its parent, in the second, it is called by it. `tree` is that of the whole recording.
  of(tree, frame) {
    const callers = Sandwich.merge(tree, frame)
    const callees = Sandwich.merge(tree, frame)
    const place = new Int32Array(tree.size).fill(-1)  // index in callees; -1: not part of a call of the function
    for (let node = 1; node < tree.size; ++node) {
      const parent = place[tree.parent[node]]
      if (parent < 0 && tree.frame[node] !== frame) continue
      if (parent >= 0) {
        place[node] = callees.child(parent, tree.frame[node])
      } else {
        place[node] = 0
        let caller = 0
        for (let at = tree.parent[node]; at !== 0; at = tree.parent[at]) caller = callers.child(caller, tree.frame[at])
        callers.add(caller, tree.total, tree.baseTotal, node)
      }
      callees.add(place[node], tree.self, tree.base, node)
    }
    return { callers: callers.data, callees: callees.data }
  },

  merge(tree, frame) {
    const columns = (has) => (has ? tree.self.map(() => [0]) : null)
    const nodes = { parent: [0], frame: [frame], self: columns(true), base: columns(tree.base) }
    const children = new Map()
    return {
      data: { ...tree.data, root: frame, nodes },
      // The child of `parent` with this frame.
      child(parent, of) {
        const key = parent * tree.data.frames.name.length + of
        let made = children.get(key)
        if (made === undefined) {
          made = nodes.parent.length
          children.set(key, made)
          nodes.parent.push(parent)
          nodes.frame.push(of)
          for (const column of [...nodes.self, ...nodes.base ?? []]) column.push(0)
        }
        return made
      },
      // Adds the amounts of `from` in `now` and `base` to the self amounts of `node`.
      add(node, now, base, from) {
        nodes.self.forEach((column, i) => { column[node] += now[i][from] })
        nodes.base?.forEach((column, i) => { column[node] += base[i][from] })
      },
    }
  },
}
