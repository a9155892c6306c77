// One SELECT over the tables of a recording.
const SqlPage = {
  examples: [
    ['Hottest methods', 'SELECT method, self_ns / 1000000 AS self_ms, samples FROM cpu_by_method ORDER BY self_ns DESC LIMIT 20'],
    ['Objects by type', 'SELECT type, count(*) AS objects, sum(size) AS bytes FROM objects GROUP BY type ORDER BY bytes DESC LIMIT 20'],
    ['Largest retained', 'SELECT address, type, retained FROM objects ORDER BY retained DESC LIMIT 20'],
    ['Tables', "SELECT name, type FROM sqlite_master WHERE type IN ('table', 'view') ORDER BY type, name"],
  ],

  async show(host, at, { signal }) {
    const part = { recording: at.recording, snapshot: at.snapshot }
    const text = make('textarea')
    text.value = at.query ?? SqlPage.examples[0][1]
    text.spellcheck = false
    text.rows = 4
    text.setAttribute('aria-label', 'Query')
    const run = make('button', 'more', 'Run')
    run.type = 'submit'
    const form = make('form', 'query', text, make('div', 'controls', run, make('span', 'below', 'Ctrl+Enter runs it; reading only, ten seconds at most.'),
      linkRow(SqlPage.examples.map(([title, query]) => [title, Address.of('sql', { ...part, query })]))))
    const go = () => Explorer.go(Address.of('sql', { ...part, query: text.value.trim() }))
    form.addEventListener('submit', (event) => {
      event.preventDefault()
      go()
    })
    text.addEventListener('keydown', (event) => {
      if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) go()
    })
    const answer = make('div')
    host.append(viewHead('SQL', at.recording), form, answer)
    const schema = make('pre')
    const all = make('details', '', make('summary', '', 'All tables and columns'), schema)
    all.addEventListener('toggle', async () => {
      if (all.open && schema.textContent === '') schema.textContent = await (await fetch('files/tables.txt')).text()
    })
    host.append(all)
    if (!at.query) return
    try {
      await SqlPage.run(answer, at, signal)
    } catch (error) {
      if (!(error instanceof AnswerError)) throw error
      // With a mark below the position in the query.
      answer.append(make('pre', 'note failed', error.message))
    }
  },

  // Whole numbers beyond 2^53 as written in the text, if the browser provides that.
  exact(parsed, text) {
    const hasLarge = parsed.answer.rows.some((row) => row.some((cell) => Number.isInteger(cell) && !Number.isSafeInteger(cell)))
    if (!hasLarge) return parsed
    const exact = JSON.parse(text, (_, value, context) =>
      (Number.isInteger(value) && !Number.isSafeInteger(value) ? context?.source ?? value : value))
    parsed.answer.rows.forEach((row, i) => row.forEach((cell, k) => {
      if (typeof cell === 'number') row[k] = exact.answer.rows[i][k]
    }))
    return parsed
  },

  // The address of an object's view, from the column `address` of `objects`.
  objectAddress({ recording, snapshot }, value) {
    return /^0x[0-9a-f]+$/.test(value) ? Address.of('object', { recording, snapshot, address: value }) : null
  },

  async run(host, at, signal) {
    const text = await Server.text('sql', { recording: at.recording, snapshot: at.snapshot, query: at.query }, signal)
    const { is_cut: isCut, answer } = SqlPage.exact(parsePlain(text), text)
    const isNumber = (index) => answer.rows.some((row) => typeof row[index] === 'number')
    const columns = answer.columns.map((title, index) => ({ title, kind: isNumber(index) ? 'plain' : 'name', value: (row) => row[index],
      link: title === 'address' ? (row) => SqlPage.objectAddress(at, row[index]) : undefined }))
    const table = new DataTable({ caption: `${Format.count(answer.rows.length)} ${answer.rows.length === 1 ? 'row' : 'rows'}`,
      rows: answer.rows, columns, first: 100 })
    table.element.dataset.list = 'answer'
    host.append(table.element, isCut ? make('p', 'note', 'There are more rows; the command prints all of them.') : '',
      commandLine(`${commandFor('sql', at.recording)}${at.snapshot ? ` --snapshot ${at.snapshot}` : ''} '${at.query.replaceAll("'", "'\\''")}'`))
  },
}
