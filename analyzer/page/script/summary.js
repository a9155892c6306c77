// What all analyses found, and what they examined.
const Summary = {
  states: { found: ['found', 'findings'], healthy: ['good', 'no findings'], partly: ['warning', 'partly'],
    not_recorded: ['note', 'not recorded'], nothing_there: ['note', 'no data'] },

  // Shown immediately; the rest unfolds.
  first: 12,

  // [severity, title, text below].
  verdict({ findings, coverage, stillness }) {
    const count = (severity) => findings.filter((finding) => finding.severity === severity).length
    const words = [['critical', 'critical', 'critical'], ['warning', 'warning', 'warnings'], ['note', 'note', 'notes']]
      .map(([severity, one, many]) => [count(severity), one, many]).filter(([n]) => n > 0)
      .map(([n, one, many]) => `${Format.count(n)} ${n === 1 ? one : many}`)
    if (count('critical') > 0) return ['critical', words.join(', '), '']
    if (count('warning') > 0) return ['warning', words.join(', '), '']
    const unseen = coverage.filter((row) => row.state === 'partly' || row.state === 'not_recorded').map((row) => row.signal)
    const parts = [...words, unseen.length > 0 ? `not or only partly covered: ${unseen.join(', ')}` : ''].filter(Boolean).join('; ')
    const rest = parts && `${parts[0].toUpperCase()}${parts.slice(1)}.`
    const below = [stillness, rest].filter(Boolean).join(' ')
    const doubt = findings.find((finding) => finding.is_doubt)
    if (doubt) return ['note', `Perhaps a problem: ${doubt.title}`, below]
    return [unseen.length > 0 || stillness ? 'note' : 'good', 'No problems found in what was recorded', below]
  },

  // The section that shows a command's output, as an address; null: the page has none.
  sectionOf(command) {
    const section = Sections.find((one) => one.command === command)
    const id = section?.id ?? command
    const isThere = section ? section.has(report.answers) : command === 'timeline' && report.answers.timeline !== null
    return isThere ? `#${id}` : null
  },

  build(host, summary, leftOut) {
    const { findings } = summary
    const [severity, title, below] = Summary.verdict(summary)
    const verdict = make('p', 'verdict', title, below ? make('span', 'below', below) : null)
    verdict.dataset.severity = severity
    host.append(verdict)
    const card = (finding) => {
      const made = findingCard({ severity: finding.severity, title: finding.title,
        sentences: finding.evidence ? [finding.evidence] : [], command: finding.command || null,
        link: Summary.sectionOf((finding.command ?? '').split(' ')[1]) })
      made.dataset.kind = finding.kind
      return made
    }
    host.append(...findings.slice(0, Summary.first).map(card))
    const hidden = findings.slice(Summary.first)
    if (hidden.length > 0) {
      host.append(make('details', 'more-findings', make('summary', '', `${Format.count(hidden.length)} more`), ...hidden.map(card)))
    }
    if (leftOut > 0) host.append(make('p', 'rest', `${Format.count(leftOut)} more not shown.`))
  },

  // For two recordings: the differences, worse ones before better ones.
  changes(host, comparison, earlierLabel, label) {
    const verdict = make('p', 'verdict', typeset(comparison.verdict))
    const worse = comparison.differences.some((difference) => difference.is_worse)
    verdict.dataset.severity = worse ? 'critical' : comparison.differences.length > 0 ? 'good' : 'note'
    host.append(verdict, ...comparison.notes.map((note) => make('p', 'note', prose(note))))
    for (const difference of comparison.differences) {
      host.append(findingCard({
        severity: difference.is_worse ? 'critical' : 'good', label: difference.direction, title: difference.title,
        sentences: [`${difference.evidence}${difference.evidence.endsWith('.') ? '' : '.'} Confidence ${difference.confidence > 0.999 ? 'above 99.9 %' : Format.percent(difference.confidence)}.`],
        body: difference.path.length > 1 ? [make('details', '', make('summary', '', 'Path'),
          stackList([...difference.path].reverse()))] : [],
        link: Summary.sectionOf(difference.command?.split(' ')[0]),
        command: difference.command ? commandFor(difference.command,
          difference.direction === 'gone' ? earlierLabel : label) : null,
      }))
    }
    if (comparison.left_out > 0) host.append(make('p', 'rest', `${Format.count(comparison.left_out)} more not shown.`))
    host.append(make('h3', 'apart', 'What was compared'))
    const differs = new Set(comparison.differences.map((difference) => difference.signal))
    const alike = { found: ['good', 'no difference'], healthy: ['good', 'no difference'] }
    Summary.coverage(host, comparison, (row) => (differs.has(row.signal) ? ['found', 'differs'] : alike[row.state]))
  },

  // `word(row)`: [severity, text] of a state, if it differs from the usual one.
  coverage(host, { coverage, findings = [] }, word = () => undefined) {
    const list = make('dl', 'coverage')
    const noted = new Set(findings.map((finding) => finding.signal))
    const onlyNotes = (row) => (row.state === 'healthy' && noted.has(row.signal) ? ['note', 'only notes'] : undefined)
    for (const row of coverage) {
      const [severity, text] = word(row) ?? onlyNotes(row) ?? Summary.states[row.state] ?? ['note', row.state]
      const state = make('span', 'state', text)
      state.dataset.severity = severity
      list.append(make('div', '', make('dt', '', row.signal === 'cpu' ? 'CPU' : row.signal), make('dd', '', state,
        row.looked_at ? make('span', 'looked', row.looked_at) : null, row.note ? make('span', 'below', prose(row.note)) : null)))
      list.lastChild.dataset.signal = row.signal
    }
    host.append(list)
  },
}
