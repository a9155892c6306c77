// What surrounds the map: the selected box, leak suspects, the legend, the same as a list.

function countObjects(count) { return `${Format.count(count)} ${count === 1 ? 'object' : 'objects'}` }

class TreemapDetails {
  constructor(tree) {
    this.tree = tree
    this.element = make('aside', 'map-details')
    this.element.setAttribute('aria-label', 'The selected box')
  }

  // -1: the whole heap.
  show(cell) {
    if (cell === this.shown) return
    this.shown = cell
    this.element.dataset.cell = cell
    this.element.replaceChildren(...(cell < 0 ? this.#whole() : this.#box(cell)).filter((node) => node))
  }

  #whole() {
    const { bytes, objects } = this.tree.data
    return [make('p', 'map-name', this.tree.label(-1)), make('p', 'below', `${Format.bytes(bytes)}, ${countObjects(objects)}`)]
  }

  #box(cell) {
    const { tree } = this
    const { cells } = tree
    const suspect = tree.suspectOf.get(cell)
    const elsewhere = cells.retained[cell] - cells.bytes[cell]
    return [
      suspect === undefined ? null : make('p', 'map-kicker', `Leak suspect ${suspect + 1}`),
      make('p', 'map-name', nameText(tree.type(cell))),
      this.#facts(cell),
      elsewhere > 0.01 * cells.bytes[cell]
        ? make('p', 'below', `These objects hold each other in turn: ${Format.bytes(elsewhere)} of it is drawn in the boxes around this one.`) : null,
      make('h4', '', cells.objects[cell] === 1 ? 'How it is held' : 'How one of them is held'),
      chainList(tree.path(cell)),
      suspect === undefined ? null : this.#advice(suspect),
      make('p', 'map-example', 'One of them: ', make('code', '', `object ${cells.example[cell]}`)),
    ]
  }

  #facts(cell) {
    const { tree } = this
    const { cells } = tree
    const rows = make('dl', 'map-facts')
    const add = (name, ...values) => rows.append(make('dt', '', name), make('dd', '', ...values))
    add('retained', make('strong', '', Format.bytes(cells.retained[cell])), `, ${Format.percent(tree.share(cell))} of the heap`)
    add('objects', Format.count(cells.objects[cell]))
    add('themselves', Format.bytes(cells.own[cell]))
    if (!tree.hasBefore) return rows
    add('earlier', `${Format.bytes(cells.retainedBefore[cell])}, ${countObjects(cells.objectsBefore[cell])}`)
    const change = cells.retained[cell] - cells.retainedBefore[cell]
    add('change', `${change > 0 ? '+' : change < 0 ? '−' : '±'}${Format.bytes(Math.abs(change))}`)
    return rows
  }

  #advice(index) {
    const link = make('a', '', 'Its evidence')
    link.href = `#leak-${index + 1}`
    return make('p', 'map-advice', this.tree.data.suspects[index].advice, ' ', link)
  }
}

// `reveal(cell)` is called when one is clicked.
function treemapSuspects(suspects, reveal) {
  if (suspects.length === 0) return null
  const list = make('ol', 'map-suspects')
  suspects.slice(0, 8).forEach((suspect, i) => {
    const button = make('button', 'map-suspect', make('span', 'flag', String(i + 1)), make('span', 'title', suspect.title),
      make('span', 'amount', `${Format.bytes(suspect.retained)}, ${suspect.confidence} confidence`))
    button.type = 'button'
    button.disabled = suspect.cell < 0
    button.addEventListener('click', () => reveal(suspect.cell))
    list.append(make('li', '', button))
  })
  return list
}

function treemapLegend({ data, hasBefore }) {
  const legend = make('p', 'map-legend')
  const entry = (className, text) => legend.append(make('span', '', make('span', `swatch ${className}`), text))
  if (hasBefore) {
    entry('grown', 'retains more than before')
    entry('shrunk', 'less')
    entry('same', 'unchanged')
  } else {
    entry('application', 'application’s types')
    entry('held', 'framework types that it holds')
    entry('framework', 'framework’s own')
    entry('itself', 'shallow size')
  }
  if (data.suspects.length > 0) entry('suspect', 'leak suspect')
  if (data.leftOut > 0) legend.append(make('span', '', `${Format.count(data.leftOut)} are too small to be boxes`))
  return legend
}

// For users who cannot see the map.
function treemapList(tree) {
  const list = make('ul', 'map-list')
  for (let cell = 0; cell < Math.min(tree.size, 40); ++cell) {
    const way = tree.way(cell).map((step) => tree.label(step)).join(' › ')
    list.append(make('li', '', `${Format.bytes(tree.retained(cell))}, ${countObjects(tree.objects(cell))}: `, nameText(way)))
  }
  return make('details', '', make('summary', '', `The ${Format.count(list.childElementCount)} largest as a list`), list)
}
