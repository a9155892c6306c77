// Tables that can be sorted, searched and unfolded.
//
// A column: {title, value(row), kind, meaning: to see when pointing at the title, compare, below(row),
// error(row): of the value, as text}; or {field, ...}: a field of the row, "throws/total", of which the
// report's description gives what is not here (described).
// Kinds of values: name, text, count, ns, bytes, share, decimal, at, plain (a number as it is).
// `compare`: with two recordings, the column is shown for both, with the change; 'sum' for what
// grows with time, which is then shown per second, 'state' for what does not. link(row): an address
// for the value, or null. null is shown as a dash.
const Cells = {
  numbers: new Set(['count', 'ns', 'bytes', 'share', 'decimal', 'at', 'plain']),

  text(value, kind, bySecond = false) {
    if (value === null || value === undefined) return '–'
    const end = bySecond ? '/s' : ''
    switch (kind) {
      case 'ns': return Format.duration(value) + end
      case 'at': return value <= 0 ? '0 s' : Format.duration(value)
      case 'bytes': return Format.bytes(value) + end
      case 'share': return Format.percent(value)
      case 'decimal': return value.toFixed(value < 10 ? 2 : 1)
      case 'count': return (bySecond && value < 10 ? String(Number(value.toPrecision(2)))
        : Format.count(value)) + end
      default: return String(value)
    }
  },

  change(before, after) {
    if (before === null || before === undefined || before === 0) return after ? 'new' : '–'
    if (!after) return 'gone'
    const factor = after / before
    if (factor >= 2) return `× ${factor.toFixed(factor < 10 ? 1 : 0)}`
    const percent = (factor - 1) * 100
    if (Math.abs(percent) < 0.5) return '±0 %'
    return `${percent > 0 ? '+' : '−'}${Math.abs(percent).toFixed(0)} %`
  },
}

// Columns of the rows of `list`, "COMMAND/key/key", completed by their descriptions (page/descriptions.h).
function described(list, columns) {
  return columns.map(({ field, ...column }) => {
    if (field === undefined) return column
    const [title, kind, meaning] = Descriptions[list][field]
    const path = field.split('/')
    return { title, kind, meaning, value: (row) => path.reduce((part, key) => part?.[key] ?? null, row), ...column }
  })
}

class DataTable {
  static #FIRST = 10
  static #ids = 0

  // {caption, columns, rows, detail(row): [nodes], key(row), before: rows, seconds: [before, now],
  //  sort: index of the initial column; without it, rows keep their order, leftOut, more: command,
  //  first: rows shown at first, ascending, query: to begin with, onChange({sortBy, ascending, query}),
  //  isWhole: false if rows are part of a longer list, which has its own order}
  constructor(options) {
    this.options = options
    this.shown = options.first ?? DataTable.#FIRST
    this.query = (options.query ?? '').toLowerCase()
    this.rows = options.before ? DataTable.#align(options) : options.rows
    this.columns = options.before ? DataTable.#compared(options) : options.columns
    const change = this.columns.findIndex((column) => column.isChange)
    this.sortBy = change >= 0 ? change : options.sort ?? -1
    this.ascending = options.ascending ?? false
    this.open = new Set()
    this.element = this.#build()
    this.#fill()
  }

  // Rows of both recordings by their key: {now, was}, either may be missing.
  static #align({ rows, before, key }) {
    const aligned = new Map(rows.map((row) => [key(row), { now: row, was: null }]))
    for (const row of before) {
      const place = aligned.get(key(row))
      if (place) place.was = row
      else aligned.set(key(row), { now: null, was: row })
    }
    return [...aligned.values()]
  }

  // Whether a row is in both recordings.
  static haveCommon(rows, before, key) {
    const known = new Set(rows.map(key))
    return before.some((row) => known.has(key(row)))
  }

  static #compared({ columns, seconds }) {
    const out = []
    for (const column of columns) {
      if (!column.compare) {
        // Numbers are those of the later recording; rows that are gone have none.
        const isNumber = Cells.numbers.has(column.kind)
        const of = (f) => (row) => (isNumber && row.now === null ? null : f(row.now ?? row.was))
        out.push({ ...column, value: of(column.value), below: column.below && of(column.below), error: column.error && of(column.error) })
        continue
      }
      const bySecond = column.compare === 'sum' && column.kind !== 'share'
      const amount = (row, which) => {
        const raw = row === null ? 0 : column.value(row)
        return bySecond && raw !== null ? raw / Math.max(seconds[which], 1e-9) : raw
      }
      const before = (row) => amount(row.was, 0)
      const after = (row) => amount(row.now, 1)
      // A row that one of them does not have is not zero.
      const side = (title, value, which) => ({ ...column, title, value, error: null,
        show: (row) => Cells.text(row[which] === null ? null : value(row), column.kind, bySecond) })
      out.push(side(`${column.title}, before`, before, 'was'), side(`${column.title}, after`, after, 'now'))
      if (out.some((made) => made.isChange)) continue
      out.push({ title: 'change', kind: 'change', isChange: true, value: (row) => after(row) - before(row),
        show: (row) => Cells.change(before(row), after(row)) })
    }
    return out
  }

  #build() {
    const { caption, rows, more, leftOut, isWhole = true } = this.options
    this.head = make('tr')
    this.columns.forEach((column, i) => {
      const button = make(isWhole ? 'button' : 'span', '', column.title)
      if (isWhole) button.type = 'button'
      if (isWhole) button.addEventListener('click', () => this.#sort(i))
      const cell = make('th', this.#isNumber(column) ? 'number' : '', button)
      cell.scope = 'col'
      if (column.meaning) cell.title = column.meaning
      this.head.append(cell)
    })
    this.body = make('tbody')
    this.more = make('button', 'more')
    this.more.type = 'button'
    this.more.addEventListener('click', () => {
      this.shown = this.shown < 50 ? 50 : Infinity
      this.#fill()
    })
    const title = make('h3', '', caption)
    title.id = `table-${++DataTable.#ids}`
    const bar = make('div', 'table-bar', title)
    const hasText = this.columns.some((column) => !this.#isNumber(column))
    if (isWhole && hasText && rows.length > DataTable.#FIRST) bar.append(this.#searchField(caption))
    const table = make('table', 'data', make('thead', '', this.head), this.body)
    table.setAttribute('aria-labelledby', title.id)
    const rest = leftOut > 0
      ? make('p', 'rest', `${Format.count(leftOut)} more not shown.`, more ? commandLine(more) : null)
      : null
    // Narrow enough to be next to another one on a wide screen.
    const size = this.columns.length <= 5 ? ' few' : this.columns.length <= 7 ? ' some' : ''
    return make('div', `table${size}`, bar, make('div', 'scroll', table), this.more, rest)
  }

  #searchField(caption) {
    const field = make('input', 'filter')
    field.type = 'search'
    field.placeholder = 'Search'
    field.spellcheck = false
    field.setAttribute('aria-label', `Search in: ${caption}`)
    field.value = this.options.query ?? ''
    this.count = make('output', 'found')
    field.addEventListener('input', () => {
      this.query = field.value.trim().toLowerCase()
      this.#changed()
    })
    return make('label', 'table-search', field, this.count)
  }

  #isNumber(column) { return Cells.numbers.has(column.kind) || column.kind === 'change' }

  #sort(index) {
    if (this.sortBy === index) this.ascending = !this.ascending
    else this.ascending = !this.#isNumber(this.columns[index])
    this.sortBy = index
    this.#changed()
  }

  #changed() {
    this.#fill()
    this.options.onChange?.({ sortBy: this.sortBy, ascending: this.ascending, query: this.query })
  }

  #matches(row) {
    return this.columns.some((column) => !this.#isNumber(column) &&
      String(column.value(row) ?? '').toLowerCase().includes(this.query))
  }

  #sorted() {
    const rows = this.query ? this.rows.filter((row) => this.#matches(row)) : [...this.rows]
    if (this.sortBy < 0) return rows
    const column = this.columns[this.sortBy]
    const sign = this.ascending ? 1 : -1
    // Changes are sorted by size, and missing values come last.
    const value = (row) => (column.isChange && !this.ascending ? Math.abs(column.value(row)) : column.value(row))
    const isNumber = this.#isNumber(column)
    return rows.map((row) => [value(row), row]).sort(([a], [b]) => {
      if (a === null || b === null) return (a === null) - (b === null)
      return sign * (isNumber ? a - b : String(a).localeCompare(String(b)))
    }).map(([, row]) => row)
  }

  #fill() {
    const rows = this.#sorted()
    this.columns.forEach((_, i) => {
      const order = i !== this.sortBy ? 'none' : this.ascending ? 'ascending' : 'descending'
      this.head.children[i].setAttribute('aria-sort', order)
    })
    this.body.replaceChildren()
    for (const row of rows.slice(0, this.shown)) this.#addRow(row)
    const hidden = rows.length - Math.min(rows.length, this.shown)
    this.more.hidden = hidden === 0
    this.more.textContent = this.shown < 50 && rows.length > 50 ? 'Show 50' : `Show all ${Format.count(rows.length)}`
    if (this.count) this.count.textContent = this.query ? `${Format.count(rows.length)} found` : ''
  }

  #addRow(row) {
    const line = make('tr')
    this.columns.forEach((column, i) => line.append(this.#cell(column, row, i === this.#nameColumn())))
    this.body.append(line)
    if (this.open.has(row)) this.#unfold(row, line)
  }

  #nameColumn() { return Math.max(0, this.columns.findIndex((column) => column.kind === 'name')) }

  #cell(column, row, isName) {
    const value = column.value(row)
    const cell = make('td', this.#isNumber(column) ? 'number' : column.kind)
    cell.dataset.title = column.title
    if (this.#isNumber(column)) cell.dataset.value = value ?? ''
    if (column.kind === 'share' && value > 0) cell.style.setProperty('--part', Math.min(1, value))
    const text = column.show ? column.show(row) : Cells.text(value, column.kind, column.bySecond)
    if (column.isChange) cell.dataset.sign = text.startsWith('±') ? 0 : Math.sign(value)
    const error = column.error?.(row)
    const content = column.kind === 'name' || column.kind === 'text' ? nameText(text)
      : make('span', '', text, error ? make('span', 'error', ` ${error}`) : null)
    const address = column.link?.(row)
    if (address) {
      const link = make('a', '', content)
      link.href = address
      cell.append(link)
    } else if (!isName || !this.options.detail) {
      cell.append(content)
    } else {
      const button = make('button', 'unfold', content)
      button.type = 'button'
      button.setAttribute('aria-expanded', String(this.open.has(row)))
      button.addEventListener('click', () => this.#toggle(row, cell.parentElement, button))
      cell.append(button)
    }
    const below = column.below?.(row)
    if (below) cell.append(make('div', 'below', nameText(below)))
    return cell
  }

  #toggle(row, line, button) {
    const isOpen = this.open.delete(row)
    button.setAttribute('aria-expanded', String(!isOpen))
    if (isOpen) return line.nextElementSibling.remove()
    this.open.add(row)
    this.#unfold(row, line)
  }

  #unfold(row, line) {
    const content = this.options.detail(this.options.before ? row.now ?? row.was : row)
    const cell = make('td', '', make('div', 'detail', ...content))
    cell.colSpan = this.columns.length
    line.after(make('tr', 'unfolded', cell))
  }
}
