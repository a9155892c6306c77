// What waits for what: each deadlock as a graph, with details of the selected node next to it.
class WaitGraphView {
  static #KINDS = { task: 'async method', pool: 'thread pool', more: 'not shown' }
  // The text of an edge, as seen from its other end.
  static #INVERSE = { 'waits for': 'waited for by', awaits: 'awaited by', joins: 'joined by', 'held by': 'holds',
    'may be held by': 'may hold', 'runs on': 'runs', 'resumes in': 'wanted by', 'queued in': 'has queued', 'served by': 'serves' }

  // `number`: of the deadlock, from 1.
  constructor(graph, number) {
    this.graph = graph
    this.number = number
    this.selected = 0
    this.area = make('div', 'graph-area')
    this.details = make('aside', 'graph-details')
    this.details.setAttribute('aria-label', 'The selected node')
    this.element = make('figure', 'graph', this.#caption(), make('div', 'graph-columns', this.area, this.details),
      this.#apart(), this.#words())
    new ResizeObserver(() => this.#resized()).observe(this.area)
  }

  #resized() {
    const width = this.area.clientWidth
    if (width < 160 || Math.abs(width - (this.width ?? 0)) < 2) return
    this.width = width
    this.#draw()
  }

  // ---- Words

  #caption() {
    const { kind, confidence, nodes, victims } = this.graph
    if (kind === 'queue') {
      return make('figcaption', '', make('strong', '', `${Format.count(victims)} wait for ${nodes[0].kind} ${nodes[0].title}`),
        make('span', 'below', 'its owner can proceed'))
    }
    const members = nodes.filter((node) => node.member).length
    const link = make('a', '', `${kind[0].toUpperCase()}${kind.slice(1)}${members > 1 ? ` of ${Format.count(members)}` : ''}`)
    link.href = `#deadlock-${this.number}`
    return make('figcaption', '', make('strong', '', link), make('span', 'below', [confidence,
      victims > 0 ? `${Format.count(victims)} more wait behind it` : ''].filter((part) => part).join(' · ')))
  }

  // thread step-0 (thread 4242); monitor Shop.Account 0x7f…
  #name(index) {
    const { kind, name, id } = this.graph.nodes[index]
    if (kind === 'thread') return name && id ? `${name} (${id})` : name || id || kind
    return [WaitGraphView.#KINDS[kind] ?? kind, name, id].filter((part) => part).join(' ')
  }

  #crowdText(crowd) { return `${Format.count(crowd.count)} ${crowd.count === 1 ? 'waits' : 'wait'}` }

  #words() {
    const list = make('ul', 'graph-list')
    for (const { from, to, says, proof } of this.graph.edges) {
      list.append(make('li', '', `${this.#name(from)} ${says === 'held by' || says === 'may be held by' ? 'is ' : ''}${says} ${this.#name(to)}${
        proof === 'certain' ? '' : ` (${proof})`}`))
    }
    for (const crowd of this.graph.crowds) {
      list.append(make('li', '', `${this.#crowdText(crowd)} ${crowd.at ? `in ${crowd.at} ` : ''}for ${crowd.waitsFor}`))
    }
    return make('details', '', make('summary', '', 'As text'), list)
  }

  // What waits behind the circle, for something that is not in it.
  #apart() {
    const apart = this.graph.crowds.filter((crowd) => crowd.node < 0)
    if (apart.length === 0 && this.graph.elsewhere === 0) return null
    const list = make('ul', 'graph-apart', ...apart.map((crowd) =>
      make('li', '', make('strong', '', this.#crowdText(crowd)), crowd.at ? ' in ' : '', crowd.at ? nameText(crowd.at) : null, ` for ${crowd.waitsFor}`)))
    if (this.graph.elsewhere > 0) list.append(make('li', '', make('strong', '', Format.count(this.graph.elsewhere)), ' wait elsewhere'))
    return make('div', '', make('h4', '', 'Further behind'), list)
  }

  // ---- The drawing

  #draw() {
    const layout = new WaitGraphLayout(this.graph, this.width)
    const marker = `waitGraph-${this.number}-arrow`
    const svg = makeSvg('svg', { viewBox: `0 0 ${layout.width} ${layout.height}`, width: layout.width, height: layout.height, role: 'group' })
    svg.setAttribute('aria-label', `Wait graph ${this.number}: arrow keys follow it`)
    for (const className of ['waits', 'other']) {
      svg.append(makeSvg('marker', { id: `${marker}-${className}`, class: `graph-arrow ${className}`, viewBox: '0 0 8 8', refX: 7, refY: 4,
        markerWidth: 7, markerHeight: 7, orient: 'auto' }, makeSvg('path', { d: 'M0 0.6L8 4L0 7.4z' })))
    }
    this.graph.edges.forEach((edge, i) => svg.append(...this.#edge(edge, layout.edges[i], marker)))
    this.graph.crowds.forEach((crowd, i) => {
      if (layout.crowds[i]) svg.append(...this.#crowd(crowd, layout.crowds[i], layout.nodes[crowd.node], marker, layout))
    })
    this.shapes = this.graph.nodes.map((node, i) => this.#node(node, layout.nodes[i], i))
    svg.append(...this.shapes)
    this.area.replaceChildren(svg)
    this.select(this.selected)
  }

  #edge({ says, proof, from, to }, { path, label, isUpright, isCrowded }, marker) {
    const className = says.startsWith('waits') || says === 'awaits' || says === 'joins' ? 'waits' : 'other'
    const line = makeSvg('path', { d: path, class: `graph-edge ${className} ${proof}`, 'marker-end': `url(#${marker}-${className})`,
      'data-from': from, 'data-to': to, 'data-says': says })
    if (isCrowded) return [line]
    const text = makeSvg('text', { x: label.x, y: label.y + 4, class: 'graph-label', 'text-anchor': 'middle' }, says)
    if (isUpright) text.setAttribute('transform', `rotate(-90 ${label.x} ${label.y}) translate(0 1)`)
    return [line, text]
  }

  static #measure = document.createElement('canvas').getContext('2d')

  // `text`, shortened in the middle if it is wider than `width` pixels.
  static #shortened(text, width, font) {
    const canvas = WaitGraphView.#measure
    canvas.font = font
    if (canvas.measureText(text).width <= width) return text
    let kept = text.length
    const cut = () => `${text.slice(0, Math.ceil(kept / 2))}…${text.slice(text.length - Math.floor(kept / 2))}`
    while (kept > 2 && canvas.measureText(cut()).width > width) --kept
    return cut()
  }

  #text(content, box, dy, className, size, weight) {
    const family = getComputedStyle(this.area).fontFamily
    return makeSvg('text', { x: box.x, y: box.y + dy, class: className, 'text-anchor': 'middle' },
      WaitGraphView.#shortened(content, box.width - 20, `${weight} ${size}px ${family}`))
  }

  static #rect(box, radius, attributes = {}) {
    return makeSvg('rect', { x: box.x - box.width / 2, y: box.y - box.height / 2, width: box.width, height: box.height, rx: radius, ...attributes })
  }

  #node(node, box, index) {
    const kind = WaitGraphView.#KINDS[node.kind] ?? node.kind
    const title = node.title === node.kind ? kind : node.title
    const below = node.kind === 'thread' ? (title === node.id ? '' : node.id) : title === kind || node.kind === 'more' ? '' : kind
    const shape = makeSvg('g', { class: `graph-node ${node.member ? 'member' : 'thing'} ${node.kind.replaceAll(' ', '-')}`, tabindex: index === 0 ? 0 : -1,
      role: 'button', 'data-node': index }, WaitGraphView.#rect(box, node.member ? 24 : 7),
    this.#text(title, box, below ? -2 : 5, 'title', 14, 640))
    if (below) shape.append(this.#text(below, box, 15, 'below', 12, 400))
    shape.setAttribute('aria-label', this.#facts(index).map(([name, value]) => `${name} ${value}`).join('; ').replace(/^/, `${this.#name(index)}; `))
    shape.addEventListener('click', () => this.select(index))
    shape.addEventListener('focus', () => this.select(index))
    shape.addEventListener('pointerenter', () => this.#show(index))
    shape.addEventListener('pointerleave', () => this.#show(this.selected))
    shape.addEventListener('keydown', (event) => this.#key(event, index))
    return shape
  }

  #crowd(crowd, box, node, marker, layout) {
    const curve = layout.isNarrow
      ? WaitGraphLayout.between(box, { ...node, x: box.x })
      : WaitGraphLayout.between(box, node)
    const at = Format.forms(crowd.at)[1] ?? crowd.at
    const group = makeSvg('g', { class: 'graph-crowd', 'data-count': crowd.count },
      makeSvg('title', {}, `${this.#crowdText(crowd)} in ${crowd.at} for ${crowd.waitsFor}`),
      WaitGraphView.#rect({ ...box, x: box.x + 8, y: box.y + 8 }, 10), WaitGraphView.#rect({ ...box, x: box.x + 4, y: box.y + 4 }, 10),
      WaitGraphView.#rect(box, 10), this.#text(this.#crowdText(crowd), box, -2, 'title', 14, 640))
    if (at) group.append(this.#text(at, box, 15, 'below', 12, 400))
    // In a column, crowds after the first one share a line with it.
    if (layout.isNarrow && this.graph.crowds.find(({ node: at }) => at === crowd.node) !== crowd) return [group]
    return [makeSvg('path', { d: curve.path, class: 'graph-edge waits certain', 'marker-end': `url(#${marker}-waits)` }), group]
  }

  #key(event, index) {
    const steps = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }
    const step = steps[event.key]
    if (!step || event.ctrlKey || event.metaKey || event.altKey) return
    event.preventDefault()
    const to = (index + step + this.shapes.length) % this.shapes.length
    this.shapes[to].focus()
  }

  // ---- Beside it

  select(index) {
    this.selected = index
    this.shapes.forEach((shape, i) => {
      shape.setAttribute('tabindex', i === index ? 0 : -1)
      shape.setAttribute('aria-pressed', String(i === index))
    })
    this.#show(index)
  }

  // [[name, value]] of a node.
  #facts(index) {
    const { nodes, edges, crowds } = this.graph
    const { member } = nodes[index]
    const facts = []
    if (member) {
      facts.push(member.waitsFor ? ['waits for', member.waitsFor] : ['waits for', 'nothing known: it can proceed'])
      for (const held of member.holds) facts.push(['holds', held])
      if (member.takenAt) facts.push(['taken in', member.takenAt])
      if (member.sinceNs !== null) facts.push(['since', `${Format.duration(Math.max(0, member.sinceNs))} after the start`])
    }
    for (const edge of edges) {
      if (edge.from === index && !member) facts.push([edge.says, this.#name(edge.to)])
      if (edge.to === index && !(member && edge.says === 'held by')) facts.push([WaitGraphView.#INVERSE[edge.says], this.#name(edge.from)])
    }
    for (const crowd of crowds) if (crowd.node === index) facts.push(['waited for by', `${Format.count(crowd.count)} more${crowd.at ? ` in ${crowd.at}` : ''}`])
    return facts
  }

  #show(index) {
    const node = this.graph.nodes[index]
    const rows = make('dl', 'map-facts')
    for (const [name, value] of this.#facts(index)) rows.append(make('dt', '', name), make('dd', '', nameText(value)))
    const stack = node.member?.stack ?? []
    this.details.replaceChildren(...[
      make('p', 'below', [WaitGraphView.#KINDS[node.kind] ?? node.kind, node.id.replace(/^(thread|task) /, '')].filter((part) => part).join(' ')),
      make('p', 'map-name', nameText(node.name || node.title)),
      rows,
      stack.length > 0 ? make('h4', '', 'Stack, innermost first') : null,
      stack.length > 0 ? stackList(stack) : null,
      node.member?.moreFrames > 0 ? make('p', 'below', `${Format.count(node.member.moreFrames)} more frames`) : null,
    ].filter((part) => part))
    this.details.dataset.node = index
  }
}

Drawings.waitGraph = (host, data) => {
  host.classList.add('wait-graphs')
  const all = [...data.deadlocks, ...data.queues]
  const proofs = new Set(all.flatMap((graph) => graph.edges.map((edge) => edge.proof)))
  const legend = make('p', 'graph-legend')
  const entry = (className, text) => legend.append(make('span', '', makeSvg('svg', { width: 30, height: 10, 'aria-hidden': 'true' },
    makeSvg('path', { d: 'M1 5H29', class: `graph-edge ${className}` })), text))
  entry('waits certain', 'waits for')
  entry('other certain', 'is held, run or served by')
  if (proofs.has('likely')) entry('other likely', 'likely')
  if (proofs.has('possible')) entry('other possible', 'possible')
  if (data.queues.length > 0) host.append(make('h3', '', 'Where threads queue'))
  all.forEach((graph, i) => host.append(new WaitGraphView(graph, i + 1).element))
  host.append(legend)
  if (data.leftOut > 0) host.append(make('p', 'below', `${Format.count(data.leftOut)} more deadlocks not shown.`))
}
