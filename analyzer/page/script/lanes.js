// What threads did over time: one lane each, in parts of time, with the states of a part stacked.
class LanesView {
  // From the bottom; with the words used by legend and cursor.
  static STATES = { running: 'running', ready: 'ready, without a processor', lock: 'in a lock', task: 'on a task',
    signal: 'for a signal', sleep: 'asleep', native: 'in native code or I/O', paused: 'paused by the runtime', idle: 'idle', unknown: 'unknown' }
  // Share of the height: what is not work is a thin line, so that it can be distinguished without
  // colours.
  static #HEIGHTS = { idle: 0.14, unknown: 0.4 }
  static #WIDTH = 1000
  static #HEIGHT = 20
  static #SHOWN = 16

  constructor(host, wall) {
    this.lanes = wall.timeline.lanes
    this.from = wall.timeline.from_ns
    this.span = Math.max(1, wall.timeline.to_ns - this.from)
    this.read = make('p', 'lane-read')
    this.read.setAttribute('role', 'status')
    const rows = this.lanes.map((lane) => [lane, this.#lane(lane)])
    const busy = rows.filter(([lane]) => !lane.is_idle).map(([, row]) => row)
    const idle = rows.filter(([lane]) => lane.is_idle).map(([, row]) => row)
    const shown = busy.splice(0, LanesView.#SHOWN)
    const folded = (kind, lanes) => (lanes.length > 0
      ? make('details', '', make('summary', '', `${Format.count(lanes.length)} ${kind} ${lanes.length === 1 ? 'thread' : 'threads'}`), ...lanes) : null)
    const view = make('div', 'lanes', this.#legend(), ...shown, this.#axis(), folded('more', busy), folded('idle', idle), this.read)
    const more = wall.threads_seen - this.lanes.length
    if (more > 0) view.append(make('p', 'below', `and ${Format.count(more)} more threads, with less to do`))
    host.append(make('h3', '', 'Threads over time'), view)
    this.#say(null, -1)
  }

  static text(run) {
    const parts = Object.entries(run.states_ns).sort(([, a], [, b]) => b - a)
      .map(([state, ns]) => `${LanesView.STATES[state] ?? state} ${Format.duration(ns)}`)
    const where = run.site ? ` — ${run.site}${run.through ? `, in ${run.through}` : ''}` : ''
    const lock = run.lock ? `, lock ${run.lock.replace(/^0x0+(?=.)/, '0x')}` : ''
    const owner = run.owner ? `, held by ${threadName(run.owner)}` : ''
    return `${Cells.text(run.from_ns, 'at')} to ${Cells.text(run.to_ns, 'at')}: ${parts.join(', ')}${where}${lock}${owner}`
  }

  #x(ns) { return ((ns - this.from) / this.span) * LanesView.#WIDTH }

  #legend() {
    const present = new Set(this.lanes.flatMap((lane) => Object.keys(lane.states_ns).filter((state) => lane.states_ns[state] > 0)))
    const list = make('ul', 'lane-legend')
    for (const [state, words] of Object.entries(LanesView.STATES)) {
      if (!present.has(state)) continue
      const swatch = make('span', 'swatch')
      swatch.dataset.state = state
      list.append(make('li', '', swatch, words))
    }
    return list
  }

  #lane(lane) {
    const drawing = makeSvg('svg', { viewBox: `0 0 ${LanesView.#WIDTH} ${LanesView.#HEIGHT}`, preserveAspectRatio: 'none', 'aria-hidden': 'true' })
    for (const run of lane.runs) this.#draw(drawing, run)
    const cursor = makeSvg('rect', { class: 'cursor', x: -10, width: 0, y: 0, height: LanesView.#HEIGHT })
    drawing.append(cursor)
    const name = threadName(lane.thread)
    const plot = make('div', 'plot', drawing)
    plot.tabIndex = 0
    plot.setAttribute('role', 'slider')
    plot.setAttribute('aria-label', `${name}: arrow keys move through time`)
    plot.setAttribute('aria-valuemin', '0')
    plot.setAttribute('aria-valuemax', String(lane.runs.length - 1))
    const view = { lane, name, plot, cursor, at: -1 }
    this.#events(view, drawing)
    return make('div', 'lane', make('span', 'label', name), plot)
  }

  #draw(drawing, run) {
    const x = this.#x(run.from_ns), width = this.#x(run.to_ns) - x
    const all = Object.values(run.states_ns).reduce((sum, ns) => sum + ns, 0)
    let y = LanesView.#HEIGHT
    for (const state of Object.keys(LanesView.STATES)) {
      const share = (run.states_ns[state] ?? 0) / all
      if (share < 0.01) continue
      const height = share * LanesView.#HEIGHT * (LanesView.#HEIGHTS[state] ?? 1)
      y -= height
      const bar = makeSvg('rect', { x: x.toFixed(2), width: Math.max(width, 0.5).toFixed(2), y: y.toFixed(2), height: height.toFixed(2) })
      bar.dataset.state = state
      drawing.append(bar)
    }
  }

  #axis() {
    const marks = make('div', 'marks')
    for (const part of [0, 0.25, 0.5, 0.75]) {
      const mark = make('span', '', Cells.text(this.from + this.span * part, 'at'))
      mark.style.left = `${part * 100}%`
      marks.append(mark)
    }
    return make('div', 'lane axis', make('span', 'label'), marks)
  }

  #events(view, drawing) {
    const { plot, lane } = view
    const follow = (event) => {
      const box = drawing.getBoundingClientRect()
      const ns = this.from + ((event.clientX - box.left) / box.width) * this.span
      this.#say(view, lane.runs.findIndex((run) => ns >= run.from_ns && ns < run.to_ns))
    }
    plot.addEventListener('pointermove', follow)
    plot.addEventListener('pointerdown', follow)
    plot.addEventListener('pointerleave', () => { if (document.activeElement !== plot) this.#say(view, -1) })
    plot.addEventListener('focus', () => { if (view.at < 0) this.#say(view, 0) })
    plot.addEventListener('blur', () => this.#say(view, -1))
    plot.addEventListener('keydown', (event) => {
      const last = lane.runs.length - 1
      const far = event.shiftKey ? 10 : 1
      const to = { ArrowLeft: view.at - far, ArrowRight: view.at + far, Home: 0, End: last }[event.key]
      if (event.key === 'Escape') this.#say(view, -1)
      if (to === undefined) return
      event.preventDefault()
      this.#say(view, Math.max(0, Math.min(last, to)))
    })
  }

  // Describes a run of a lane; -1: how to select one.
  #say(view, at) {
    const run = view?.lane.runs[at]
    if (view) {
      view.at = run ? at : -1
      const x = run ? this.#x(run.from_ns) : -10
      view.cursor.setAttribute('x', x.toFixed(2))
      view.cursor.setAttribute('width', run ? Math.max(2, this.#x(run.to_ns) - x).toFixed(2) : '0')
      view.plot.setAttribute('aria-valuenow', String(Math.max(at, 0)))
      view.plot.setAttribute('aria-valuetext', run ? LanesView.text(run) : '')
    }
    this.read.replaceChildren(...(run ? [make('strong', '', `${view.name} `), LanesView.text(run)]
      : ['Point at a lane, or move to it with Tab and arrow keys: what the thread did then, in which lock, and who held it.']))
  }
}
