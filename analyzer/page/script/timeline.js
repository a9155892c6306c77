// All signals on one time axis: one row each, scaled to its own peak; with a cursor that shows the
// values of all.
class TimelineView {
  static #NAMES = {
    cpu: ['CPU', 'cores'], allocations: ['Allocated', 'bytes/s'], pauses: ['Paused', 'of the time'],
    heap: ['Heap', 'after collections'], memory: ['Resident memory', ''], compiler: ['Compiling', 'threads'], exceptions: ['Exceptions', ''],
    pool_queue: ['Pool: queued work', 'pieces'], pool_workers: ['Pool: workers', ''], threads: ['Threads', ''],
    requests: ['Requests', ''], requests_in_progress: ['Requests in progress', 'on average'],
  }
  static #WIDTH = 1000
  static #HEIGHT = 44

  // `before`: that of the earlier recording, drawn as a line; may be null.
  constructor(host, now, before) {
    this.now = now
    this.before = before
    this.span = Math.max(now.to_ns - now.from_ns, before ? before.to_ns - before.from_ns : 0)
    this.part = -1
    const gone = (before?.series ?? []).filter((other) => !now.series.some((series) => series.signal === other.signal))
      .map((series) => ({ ...series, values: new Array(now.parts).fill(0), peak: 0 }))
    this.rows = [...now.series, ...gone].map((series) => this.#row(series))
    this.plot = make('div', 'timeline', ...this.rows.map((row) => row.element), this.#axis())
    this.plot.tabIndex = 0
    this.plot.setAttribute('role', 'slider')
    this.plot.setAttribute('aria-label', 'Time: arrow keys move the cursor')
    this.plot.setAttribute('aria-valuemin', '0')
    this.plot.setAttribute('aria-valuemax', String(now.parts - 1))
    host.append(this.plot)
    if (now.moments.length > 0) host.append(this.#moments())
    this.#events()
    this.#read(-1)
  }

  static text(unit, value) {
    switch (unit) {
      case 'cores': return `${value.toFixed(2)} cores`
      case 'bytes_per_second': return `${Format.bytes(value)}/s`
      case 'share_of_time': return Format.percent(value)
      case 'bytes': return Format.bytes(value)
      case 'nanoseconds': return value > 0 ? Format.duration(value) : '–'
      case 'per_second': return `${value < 10 ? Number(value.toPrecision(2)) : Format.count(value)}/s`
      default: return value < 10 && !Number.isInteger(value) ? value.toFixed(1) : Format.count(value)
    }
  }

  #x(ns) { return (ns / Math.max(this.span, 1)) * TimelineView.#WIDTH }

  // An outline over equal parts of `length` nanoseconds.
  #outline(values, length, peak, closed) {
    const width = this.#x(length) / Math.max(values.length, 1)
    const y = (value) => (TimelineView.#HEIGHT - (value / peak) * (TimelineView.#HEIGHT - 3)).toFixed(2)
    let d = closed ? `M0 ${TimelineView.#HEIGHT}` : ''
    values.forEach((value, i) => {
      d += `${d === '' ? 'M' : 'L'}${(i * width).toFixed(2)} ${y(value)}H${((i + 1) * width).toFixed(2)}`
    })
    return closed ? `${d}V${TimelineView.#HEIGHT}Z` : d
  }

  #row(series) {
    const earlier = this.before?.series.find((other) => other.signal === series.signal)
    const peak = Math.max(series.peak, earlier?.peak ?? 0) || 1
    const [name, unit] = TimelineView.#NAMES[series.signal] ?? [series.signal.replaceAll('_', ' '), '']
    const drawing = makeSvg('svg', { viewBox: `0 0 ${TimelineView.#WIDTH} ${TimelineView.#HEIGHT}`,
      preserveAspectRatio: 'none', 'aria-hidden': 'true' })
    drawing.append(makeSvg('path', { class: 'area',
      d: this.#outline(series.values, this.now.to_ns - this.now.from_ns, peak, true) }))
    if (earlier) {
      drawing.append(makeSvg('path', { class: 'earlier',
        d: this.#outline(earlier.values, this.before.to_ns - this.before.from_ns, peak, false) }))
    }
    for (const moment of this.now.moments) {
      const x = this.#x(moment.at_ns - this.now.from_ns).toFixed(2)
      drawing.append(makeSvg('line', { class: 'moment', x1: x, x2: x, y1: 0, y2: TimelineView.#HEIGHT }))
    }
    const cursor = makeSvg('line', { class: 'cursor', y1: 0, y2: TimelineView.#HEIGHT })
    drawing.append(cursor)
    const value = make('span', 'value')
    const element = make('div', 'series', make('div', 'label', make('span', '', name),
      unit ? make('span', 'unit', unit) : null), make('div', 'plot', drawing), value)
    element.dataset.signal = series.signal
    return { element, cursor, value, series, drawing }
  }

  #axis() {
    const marks = make('div', 'marks')
    const steps = this.#ticks()
    for (const ns of steps) {
      const mark = make('span', '', Cells.text(ns, 'at'))
      mark.style.left = `${(this.#x(ns) / TimelineView.#WIDTH) * 100}%`
      marks.append(mark)
    }
    this.at = make('span', 'value')
    return make('div', 'series axis', make('div', 'label'), marks, this.at)
  }

  // Round times, at most six.
  #ticks() {
    const steps = [1, 2, 5].flatMap((step) => [3, 4, 5, 6, 7, 8].map((power) => step * 10 ** power))
      .concat([1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 14400, 28800, 86400].map((s) => s * 1e9))
      .sort((a, b) => a - b)
    const step = steps.find((length) => this.span / length <= 6) ?? this.span
    const ticks = []
    for (let ns = 0; ns <= this.span * 0.94; ns += step) ticks.push(ns)
    return ticks
  }

  #moments() {
    const list = make('ol', 'moments')
    for (const moment of this.now.moments) {
      const button = make('button', '', make('span', 'when', Cells.text(moment.at_ns, 'at')),
        nameText(moment.what))
      button.type = 'button'
      button.title = moment.see
      button.addEventListener('click', () => this.#read(this.#partAt(moment.at_ns - this.now.from_ns)))
      list.append(make('li', '', button))
    }
    return make('div', '', make('h3', '', 'Notable moments'), list)
  }

  #length() { return (this.now.to_ns - this.now.from_ns) / this.now.parts }
  #partAt(ns) { return Math.max(0, Math.min(this.now.parts - 1, Math.floor(ns / this.#length()))) }

  #events() {
    const follow = (event) => {
      const box = this.rows[0]?.drawing.getBoundingClientRect()
      if (!box || event.clientX < box.left || event.clientX > box.right) return
      this.#read(this.#partAt(((event.clientX - box.left) / box.width) * this.span))
    }
    this.plot.addEventListener('pointermove', follow)
    this.plot.addEventListener('pointerdown', follow)
    this.plot.addEventListener('pointerleave', () => {
      if (document.activeElement !== this.plot) this.#read(-1)
    })
    this.plot.addEventListener('blur', () => this.#read(-1))
    this.plot.addEventListener('keydown', (event) => {
      const last = this.now.parts - 1
      const far = event.shiftKey ? 10 : 1
      const to = { ArrowLeft: this.part - far, ArrowRight: this.part + far, Home: 0, End: last,
        PageUp: this.part - 10, PageDown: this.part + 10 }[event.key]
      if (event.key === 'Escape') this.#read(-1)
      if (to === undefined) return
      event.preventDefault()
      this.#read(Math.max(0, Math.min(last, to)))
    })
  }

  // Shows the values of a part; -1: the peaks.
  #read(part) {
    this.part = part
    const at = (part + 0.5) * this.#length()
    for (const { cursor, value, series } of this.rows) {
      const x = part < 0 ? -10 : this.#x(at).toFixed(2)
      cursor.setAttribute('x1', x)
      cursor.setAttribute('x2', x)
      value.textContent = TimelineView.text(series.unit, part < 0 ? series.peak : series.values[part])
      value.dataset.value = part < 0 ? series.peak : series.values[part]
    }
    this.at.textContent = part < 0 ? 'peak' : `at ${Cells.text(this.now.from_ns + part * this.#length(), 'at')}`
    this.plot.setAttribute('aria-valuenow', String(Math.max(part, 0)))
    this.plot.setAttribute('aria-valuetext', `${this.at.textContent}: ${this.rows.map(({ element, value }) =>
      `${element.querySelector('.label span').textContent} ${value.textContent}`).join(', ')}`)
  }
}
