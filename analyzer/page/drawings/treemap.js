// What keeps the heap alive: the dominator tree as nested boxes, with the path to the selection.
class TreemapView {
  static #HEAD = 21  // pixels, for a box that contains others
  static #GAP = 2
  static #SMALLEST = 110  // square pixels, for a box that is drawn individually
  static #LEAST = { width: 64, height: 52 }  // for a box that contains others

  constructor(host, data) {
    this.tree = new TreemapTree(data)
    this.data = data
    this.zoomed = -1
    const [first] = this.tree.suspectOf.size > 0 ? this.tree.suspectOf.keys() : this.tree.tops
    this.selected = first === undefined ? -1 : this.tree.run(first).at(-1)
    this.#build(host)
    new ResizeObserver(() => this.#resized()).observe(this.view)
    this.draw()
  }

  #build(host) {
    host.classList.add('treemap')
    this.path = make('nav', 'map-path')
    this.path.setAttribute('aria-label', 'Zoomed to')
    this.view = make('div', 'map-view')
    this.view.id = 'treemap-view'
    this.view.tabIndex = 0
    this.view.setAttribute('role', 'tree')
    this.view.setAttribute('aria-label', 'Dominator tree by type: arrow keys move, Enter zooms in, Escape zooms out')
    this.details = new TreemapDetails(this.tree)
    host.append(...[
      make('h3', '', 'Dominator tree'),
      make('p', 'map-lead', 'A box stands for the objects of one type; the boxes inside it are what they dominate. ' +
        'Without them all of that would be garbage: the number is their retained size.'),
      treemapSuspects(this.data.suspects, (cell) => this.reveal(cell)),
      make('div', 'map-columns',
        make('div', 'map-main', this.path, this.view, treemapLegend(this.tree),
          make('p', 'keys', 'Click to zoom. Keyboard: ', make('kbd', '', '↑'), ' ', make('kbd', '', '↓'), ' ',
            make('kbd', '', '←'), ' ', make('kbd', '', '→'), ' walk, ', make('kbd', '', 'Enter'), ' zooms in, ',
            make('kbd', '', 'Esc'), ' out.')),
        this.details.element),
      treemapList(this.tree),
    ].filter((node) => node))
    this.view.addEventListener('click', (event) => this.#clicked(event))
    this.view.addEventListener('keydown', (event) => this.#key(event))
    this.view.addEventListener('pointermove', (event) => {
      if (event.pointerType === 'mouse') this.details.show(this.#boxAt(event)?.cell ?? this.selected)
    })
    this.view.addEventListener('pointerleave', () => this.details.show(this.selected))
  }

  // ---- Boxes

  draw() {
    const width = this.view.clientWidth
    if (width === 0) return
    this.width = width
    const height = width < 500 ? Math.round(width * 1.15) : Math.round(Math.min(Math.max(width * 0.56, 320), 640))
    this.view.style.height = `${height}px`
    this.boxes = []
    const top = { x: 0, y: 0, width, height }
    if (this.zoomed < 0) this.#fill(-1, top, 1)
    else this.#box({ cell: this.zoomed, kind: 'cell' }, top, 1)
    this.view.replaceChildren(...this.boxes.map((box, i) => this.#element(box, i)))
    this.#showPath()
    this.#mark()
    this.details.show(this.selected)
  }

  #levels() { return this.width < 500 ? 3 : 5 }

  // Fills `room` with what is in `cell`.
  #fill(cell, room, level) {
    const parts = this.tree.parts(cell, (this.tree.bytes(cell) * TreemapView.#SMALLEST) / Math.max(1, room.width * room.height))
    squarify(parts, room).forEach((place, i) => {
      if (place.width >= 4 && place.height >= 4) this.#box(parts[i], place, level)
    })
  }

  #box(part, place, level) {
    const gap = TreemapView.#GAP
    const box = { ...part, run: [part.cell], level, open: false, x: place.x, y: place.y,
      width: Math.max(1, place.width - gap), height: Math.max(1, place.height - gap) }
    this.boxes.push(box)
    if (part.kind !== 'cell') return
    box.run = this.tree.run(part.cell)
    box.cell = box.run[box.run.length - 1]
    const least = TreemapView.#LEAST
    if (level >= this.#levels() || box.width < least.width || box.height < least.height) return
    if (this.tree.below(box.cell).length === 0) return
    box.open = true
    const head = TreemapView.#HEAD
    this.#fill(box.cell, { x: box.x + 3, y: box.y + head, width: box.width - 4, height: box.height - head - 1 }, level + 1)
  }

  #element(box, index) {
    const { tree } = this
    const element = make('div', 'map-box')
    element.id = `treemap-box-${index}`
    element.dataset.cell = box.cell
    element.dataset.level = Math.min(box.level, 5)
    Object.assign(element.style, { left: `${(100 * box.x) / this.width}%`, width: `${(100 * box.width) / this.width}%`,
      top: `${box.y}px`, height: `${box.height}px` })
    if (box.open) element.classList.add('open')
    if (box.kind === 'cell') {
      element.dataset.retained = tree.retained(box.cell)
      element.setAttribute('role', 'treeitem')
      element.setAttribute('aria-level', box.level)
      element.setAttribute('aria-label', this.#spoken(box.cell))
      element.classList.add(tree.kind(box.cell))
      if (tree.hasBefore) this.#colourGrowth(element, box.cell)
      const suspect = box.run.map((cell) => this.tree.suspectOf.get(cell)).find((found) => found !== undefined)
      if (suspect !== undefined) {
        element.classList.add('suspect')
        if (box.width > 26 && box.height > 16) element.append(make('span', 'flag', String(suspect + 1)))
      }
    } else {
      element.classList.add(box.kind === 'own' ? 'itself' : 'beyond')
      element.setAttribute('role', 'presentation')
    }
    this.#labels(element, box)
    return element
  }

  #labels(element, box) {
    if (box.width < 40 || box.height < 18) return
    element.classList.add('named')
    const { tree } = this
    if (box.kind !== 'cell') {
      // At the top, it includes the runtime's arrays of static fields, which are in no box.
      const label = box.kind === 'own' ? 'themselves' : `${box.count > 0 ? `${Format.count(box.count)} ` : ''}smaller ones${
        box.cell < 0 ? ', arrays of statics' : ''}`
      if (box.width > 70) element.append(make('span', 'label', label))
      return
    }
    const bytes = Format.bytes(tree.retained(box.cell))
    const numbers = box.width > 130 ? `${bytes} · ${Format.percent(tree.share(box.cell))}` : bytes
    const names = box.run.map((cell) => tree.label(cell))
    if (box.open) {
      const name = names.join(' › ')
      element.append(make('span', 'label', name))
      if (box.width > 100 + 6.5 * Math.min(name.length, 60)) element.append(make('span', 'amount', numbers))
      return
    }
    // The boxes merged with it, each on its own line if there is room.
    const lines = 18 + 17 * (names.length + 1) < box.height ? names : [names.join(' › ')]
    lines.forEach((line, i) => element.append(make('span', i < lines.length - 1 ? 'label around' : 'label', line)))
    let room = box.height - 6 - 17 * lines.length
    for (const amount of [numbers, countObjects(tree.objects(box.cell))]) {
      if (room >= 17 && (box.width > 76 || amount.length < 8)) element.append(make('span', 'amount', amount))
      room -= 17
    }
  }

  // Red: it grew; blue: it shrank. The intensity shows by how much of the heap.
  #colourGrowth(element, cell) {
    const growth = this.tree.growth(cell)
    element.classList.add('compared')
    element.style.setProperty('--growth', `${Math.round(8 + Math.min(1, Math.sqrt(Math.abs(growth) * 4)) * 52)}%`)
    element.dataset.grew = Math.abs(growth) < 5e-4 ? 0 : Math.sign(growth)
  }

  #spoken(cell) {
    const { tree } = this
    const suspect = this.tree.suspectOf.get(cell)
    return `${tree.label(cell)}: ${Format.bytes(tree.retained(cell))}, ${Format.percent(tree.share(cell))}, ${
      countObjects(tree.objects(cell))}${suspect === undefined ? '' : `, leak suspect ${suspect + 1}`}`
  }

  // ---- Where we are

  #showPath() {
    const steps = [-1, ...this.tree.way(this.zoomed)]
    this.path.replaceChildren(...steps.map((cell) => {
      const step = make('button', 'map-step', cell < 0 ? `All ${Format.bytes(this.data.bytes)}` : this.tree.label(cell))
      step.type = 'button'
      if (cell === this.zoomed) step.setAttribute('aria-current', 'true')
      step.addEventListener('click', () => this.zoom(cell))
      return step
    }))
    this.path.scrollLeft = this.path.scrollWidth
  }

  zoom(cell) {
    // A run is one box: zooming into its first cell shows what is in its last.
    this.zoomed = cell
    if (cell >= 0) this.selected = cell
    this.draw()
  }

  // To the one around the zoomed cell, beyond the run that is drawn as one box with it.
  #out() {
    if (this.zoomed < 0) return
    const from = this.zoomed
    let to = this.tree.parent(from)
    while (to >= 0 && this.tree.run(to).includes(from)) to = this.tree.parent(to)
    this.zoom(to)
    this.select(from)
  }

  select(cell) {
    this.selected = cell
    this.#mark()
    this.details.show(cell)
  }

  // Zooms out until it is visible.
  reveal(cell) {
    this.zoomed = -1
    this.selected = cell
    this.draw()
    if (!this.boxes.some((box) => box.run.includes(cell) && box.kind === 'cell')) this.zoom(this.tree.parent(cell))
    this.select(cell)
  }

  #mark() {
    let active = ''
    this.boxes.forEach((box, i) => {
      const is = box.kind === 'cell' && box.run.includes(this.selected)
      this.view.children[i].setAttribute('aria-selected', String(is))
      if (is) active = `treemap-box-${i}`
    })
    if (active) this.view.setAttribute('aria-activedescendant', active)
    else this.view.removeAttribute('aria-activedescendant')
  }

  #boxAt(event) {
    const element = event.target.closest('.map-box')
    return element ? this.boxes[Number(element.id.slice('treemap-box-'.length))] : undefined
  }

  #clicked(event) {
    const box = this.#boxAt(event)
    if (!box) return
    const inside = this.tree.below(box.cell).length > 0
    if (inside && box.kind === 'cell' && box.cell !== this.zoomed) this.zoom(box.cell)
    else this.select(box.cell)
  }

  #key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return
    const ways = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }
    if (ways[event.key]) this.#walk(...ways[event.key])
    else if (event.key === 'Enter') {
      if (this.tree.below(this.selected).length > 0 && this.selected !== this.zoomed) this.zoom(this.selected)
      if (this.tree.below(this.zoomed).length > 0 && this.selected === this.zoomed) this.select(this.tree.below(this.zoomed)[0])
    } else if (event.key === 'Escape' || event.key === 'Backspace') this.#out()
    else if (event.key === 'Home') this.zoom(-1)
    else return
    event.preventDefault()
    event.stopPropagation()
  }

  // To the nearest box in that direction; nested boxes are not neighbours.
  #walk(dx, dy) {
    const cells = this.boxes.filter((box) => box.kind === 'cell')
    const from = cells.find((box) => box.run.includes(this.selected))
    if (!from) {
      if (cells.length > 0) this.select(cells[0].cell)
      return
    }
    const middle = (box) => [box.x + box.width / 2, box.y + (box.open ? TreemapView.#HEAD : box.height) / 2]
    const [x, y] = middle(from)
    let best = null
    for (const box of cells) {
      if (box === from) continue
      const [toX, toY] = middle(box)
      const ahead = (toX - x) * dx + (toY - y) * dy
      const aside = Math.abs((toX - x) * dy) + Math.abs((toY - y) * dx)
      const cost = ahead + 2.5 * aside
      if (ahead > 1 && (best === null || cost < best.cost)) best = { box, cost }
    }
    if (best) this.select(best.box.cell)
  }

  #resized() {
    if (Math.abs(this.view.clientWidth - (this.width ?? 0)) > 1) this.draw()
  }
}

Drawings.treemap = (host, data) => new TreemapView(host, data)
