// Colours of a flame graph's calls: by the kind of code, or by the change since the baseline.
const FlameColouring = {
  hues: { application: 24, framework: 212, runtime: 268, native: 158, type: 330, package: 84 },

  // One hue for each kind, varied a little for each module and type, so that neighbours differ.
  // Returns a function of (tree, node), for any tree with the frames of `data`.
  byKind(data, dark) {
    const cache = new Map()
    return (tree, node) => {
      const frame = tree.frameOf(node)
      let colour = cache.get(frame)
      if (!colour) {
        const kind = frame < 0 ? '' : data.kinds[data.frames.kind[frame]]
        colour = FlameColouring.ofKind(kind, frame < 0 ? 0 : FlameColouring.hash(FlameColouring.group(data, frame)), dark)
        cache.set(frame, colour)
      }
      return colour
    }
  },

  ofKind(kind, seed, dark) {
    const text = dark ? '#f3f1ee' : '#1d1b19'
    const hue = FlameColouring.hues[kind]
    if (hue === undefined) return { fill: dark ? 'hsl(30 4% 30%)' : 'hsl(30 8% 84%)', text }
    const turn = hue + (seed % 19) - 9
    const light = (dark ? 32 : 74) + (Math.floor(seed / 19) % 7) - 3
    return { fill: `hsl(${turn} ${dark ? 42 : 78}% ${light}%)`, text }
  },

  // The largest change of a node of `tree`.
  mostChange(tree, measure) {
    let most = 0.001
    for (let node = 1; node < tree.size; ++node) most = Math.max(most, Math.abs(tree.change(node, measure)))
    return most
  },

  // Red: a larger share than in the baseline; blue: a smaller one. `most`: the change with the full
  // colour.
  byChange(measure, most, dark) {
    const text = dark ? '#f3f1ee' : '#1d1b19'
    return (tree, node) => ({ fill: FlameColouring.ofChange(tree.change(node, measure) / most, dark), text })
  },

  ofChange(change, dark) {
    const strength = Math.min(1, Math.abs(change)) ** 0.6
    const hue = change > 0 ? 8 : 214
    return `hsl(${hue} ${Math.round(strength * (dark ? 62 : 84))}% ${dark
      ? 28 + Math.round(strength * 12) : 90 - Math.round(strength * 24)}%)`
  },

  group({ frames, modules }, frame) {
    const name = frames.name[frame]
    const end = name.search(/[<(\[]/)
    const head = end <= 0 ? name : name.slice(0, end)
    return modules[frames.module[frame]] + head.slice(0, Math.max(head.lastIndexOf('.'), 0))
  },

  hash(text, seed = 2166136261) {
    let hash = seed
    for (let i = 0; i < text.length; ++i) hash = Math.imul(hash ^ text.charCodeAt(i), 16777619)
    return hash >>> 0
  },
}
