// Draws a part of a FlameTree with a pen, for a canvas or an SVG image.
//
// A pen: box(x, y, width, height, radius, fill, alpha), outline(x, y, width, height, colour),
// text(text, x, y, fill, alpha), widthOf(text), and optionally begin(tree, node) before everything
// that belongs to a call.
const FlamePainting = {
  ROW: 22,
  LEAST: 0.5,  // pixels; narrower calls are not drawn

  // `part`: {tree, from, to: shares of the root's width, width: pixels, colours(tree, node), matches: nodes that are
  // found, or null, zoomed, marked: nodes with an outline, top(depth): pixels, least and most: of these pixels,
  // labels: Map}.
  paint(pen, part) {
    FlamePainting.each(part, (node, left, wide) => {
      const top = part.top(part.tree.depth[node])
      if (top + FlamePainting.ROW > part.least && top < part.most) FlamePainting.node(pen, part, node, left, wide, top)
    })
  },

  // Calls `visit(node, left, width)` for calls that are wide enough and inside, callers before
  // their callees.
  each({ tree, from, to, width }, visit) {
    const scale = width / Math.max(to - from, 1e-12)
    const nodes = [0]
    while (nodes.length > 0) {
      const node = nodes.pop()
      const left = (tree.left[node] - from) * scale
      const wide = tree.width[node] * scale
      if (Math.min(left + wide, width) - Math.max(left, 0) < FlamePainting.LEAST) continue
      visit(node, left, wide)
      for (const child of tree.children[node]) nodes.push(child)
    }
  },

  node(pen, part, node, left, wide, top) {
    const { tree, width, matches } = part
    const x = Math.max(left, -4)
    const right = Math.min(left + wide, width + 4)
    const box = [x, top, Math.max(right - x - (wide > 3 ? 1 : 0), 0.5), FlamePainting.ROW - 1]
    const { fill, text } = part.colours(tree, node)
    const isDim = matches !== null && !matches.has(node)
    pen.begin?.(tree, node)
    const isCaller = tree.depth[node] < tree.depth[part.zoomed]
    pen.box(...box, wide > 6 ? 3 : 0, fill, isDim ? 0.22 : isCaller ? 0.55 : 1)
    if (part.marked.includes(node)) pen.outline(box[0] + 1, box[1] + 1, Math.max(box[2] - 2, 0), box[3] - 2, text)
    const start = Math.max(x, 0) + 6
    const room = Math.min(right, width) - start - 5
    const label = room > 14 ? FlamePainting.label(pen, part, node, room) : ''
    if (label !== '') pen.text(label, start, top + FlamePainting.ROW / 2, text, isDim ? 0.45 : 1)
  },

  // The longest form of the name that fits, shortened if none does.
  label(pen, { tree, labels }, node, room) {
    const name = tree.name(node)
    let forms = labels.get(name)
    if (!forms) {
      forms = Format.forms(name).map((text) => [text, pen.widthOf(text)])
      labels.set(name, forms)
    }
    for (const [text, width] of forms) if (width <= room) return text
    const [text, width] = forms[forms.length - 1]
    const letters = Math.floor((room / width) * text.length) - 1
    return letters >= 2 ? `${text.slice(0, letters)}…` : ''
  },

  // A pen for a canvas.
  canvasPen(context, font) {
    context.textBaseline = 'middle'
    context.font = font
    const shape = (x, y, width, height, radius) => {
      context.beginPath()
      context.roundRect(x, y, width, height, radius)
    }
    return {
      box(x, y, width, height, radius, fill, alpha) {
        context.globalAlpha = alpha
        context.fillStyle = fill
        shape(x, y, width, height, radius)
        context.fill()
        context.globalAlpha = 1
      },
      outline(x, y, width, height, colour) {
        context.lineWidth = 2
        context.strokeStyle = colour
        shape(x, y, width, height, 2)
        context.stroke()
      },
      text(text, x, y, fill, alpha) {
        context.globalAlpha = alpha
        context.fillStyle = fill
        context.fillText(text, x, y)
        context.globalAlpha = 1
      },
      widthOf: (text) => context.measureText(text).width,
    }
  },
}
