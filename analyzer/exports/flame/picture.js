// What a FlamePanel shows, as a picture to save: the zoomed part with all of its rows, the colours
// and the hits, below a title.
const FlamePicture = {
  MARGIN: 16,  // pixels

  // {width, height, lines: [[text, size, top]], graphs: [as FlamePainting takes them], colours}.
  layout(panel) {
    const margin = FlamePicture.MARGIN
    const lines = FlamePicture.texts(panel).map(([text, size], i) => [text, size, margin + 10 + i * 24])
    let height = margin + lines.length * 24 + 6
    const graphs = panel.shown.map(({ view }) => {
      const part = view.part()
      let deepest = 0
      FlamePainting.each(part, (node) => { deepest = Math.max(deepest, part.tree.depth[node]) })
      const first = height
      height += (deepest + 1) * FlamePainting.ROW + 8
      const top = (depth) => first + (view.upward ? deepest - depth : depth) * FlamePainting.ROW
      return { ...part, marked: [view.selected], top, least: 0, most: Infinity }
    })
    const style = getComputedStyle(document.body)
    const font = getComputedStyle(panel.shown[0].view.scroller)
    return { lines, graphs, width: graphs[0].width + 2 * margin, height: height + margin - 8,
      paper: style.backgroundColor, ink: style.color, font: font.font, family: font.fontFamily, size: font.fontSize }
  },

  // What the picture shows: the title; the amount, the function or the zoomed call; and the search.
  texts(panel) {
    const { data, main, middle, search } = panel
    const of = middle >= 0 ? `callers and callees of ${data.frames.name[middle]}` : main.zoomed > 0 ? main.tree.name(main.zoomed) : ''
    const amount = `${panel.find('total').textContent} ${panel.find('total-name').textContent}`
    const pattern = search.field.value.trim()
    return [[data.title, 16], [[amount, of].filter((text) => text).join('  ·  '), 12.5],
      ...(pattern ? [[`Search: ${pattern}  ·  ${search.told.textContent}`, 12.5]] : [])]
  },

  svg(panel) {
    const { lines, graphs, width, height, paper, ink, font, family, size } = FlamePicture.layout(panel)
    const image = makeSvg('svg', { width, height, viewBox: `0 0 ${width} ${height}`, 'font-family': family, 'font-size': size },
      makeSvg('rect', { width, height, fill: paper }))
    for (const [text, points, top] of lines) {
      image.append(makeSvg('text', { x: FlamePicture.MARGIN, y: top, 'font-size': points, fill: ink, 'dominant-baseline': 'central' }, text))
    }
    const context = document.createElement('canvas').getContext('2d')
    context.font = font
    // Calls extend slightly beyond the graph where they continue.
    const room = makeSvg('svg', { x: FlamePicture.MARGIN, y: 0, width: graphs[0].width, height })
    for (const graph of graphs) FlamePainting.paint(FlamePicture.svgPen(room, context, panel), graph)
    image.append(room)
    return new XMLSerializer().serializeToString(image)
  },

  // Each call is a group with a title, which viewers show as a tooltip.
  svgPen(host, context, { measure, unit }) {
    const round = (value) => Number(value.toFixed(2))
    let group = host
    return {
      begin(tree, node) {
        const title = `${tree.name(node)}: ${Format.amount(tree.amount(node, measure), unit)}, ${Format.percent(tree.share(node, measure))}`
        group = makeSvg('g', { class: 'call' }, makeSvg('title', {}, title))
        host.append(group)
      },
      box(x, y, width, height, radius, fill, alpha) {
        group.append(makeSvg('rect', { x: round(x), y: round(y), width: round(width), height, rx: radius, fill, 'fill-opacity': alpha }))
      },
      outline(x, y, width, height, colour) {
        group.append(makeSvg('rect', { x: round(x), y: round(y), width: round(width), height, rx: 2, fill: 'none', stroke: colour, 'stroke-width': 2 }))
      },
      text(text, x, y, fill, alpha) {
        group.append(makeSvg('text', { x: round(x), y: round(y), fill, 'fill-opacity': alpha, 'dominant-baseline': 'central' }, text))
      },
      widthOf: (text) => context.measureText(text).width,
    }
  },

  // Returns a blob, with twice as many pixels as on the page, unless browsers cannot draw that
  // many.
  png(panel) {
    const { lines, graphs, width, height, paper, ink, font, family } = FlamePicture.layout(panel)
    const scale = Math.min(2, 16_000 / Math.max(width, height))
    const canvas = make('canvas')
    canvas.width = Math.round(width * scale)
    canvas.height = Math.round(height * scale)
    const context = canvas.getContext('2d')
    context.scale(scale, scale)
    context.fillStyle = paper
    context.fillRect(0, 0, width, height)
    context.textBaseline = 'middle'
    context.fillStyle = ink
    for (const [text, points, top] of lines) {
      context.font = `${points}px ${family}`
      context.fillText(text, FlamePicture.MARGIN, top)
    }
    context.translate(FlamePicture.MARGIN, 0)
    context.beginPath()
    context.rect(0, 0, graphs[0].width, height)
    context.clip()
    for (const graph of graphs) FlamePainting.paint(FlamePainting.canvasPen(context, font), graph)
    return new Promise((done) => canvas.toBlob(done, 'image/png'))
  },

  async save(panel, kind) {
    const blob = kind === 'svg' ? new Blob([FlamePicture.svg(panel)], { type: 'image/svg+xml' }) : await FlamePicture.png(panel)
    const link = make('a')
    link.href = URL.createObjectURL(blob)
    link.download = `${panel.data.title.replace(/[^\p{L}\p{N}]+/gu, '-').replace(/^-|-$/g, '') || 'flame-graph'}.${kind}`
    link.click()
    setTimeout(() => URL.revokeObjectURL(link.href), 60_000)
  },
}
