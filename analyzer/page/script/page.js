// Puts the page together.

const report = readData('data')

const Page = {
  now: report.recordings[report.recordings.length - 1],
  earlier: report.recordings.length > 1 ? report.recordings[0] : null,

  start() {
    const { now, earlier } = Page
    document.title = `${now.title}${earlier ? ', compared' : ''} – Hindsight`
    Page.head()
    if (report.comparison) {
      Page.section({ id: 'changes', title: 'What changed' },
        (host) => Summary.changes(host, report.comparison, earlier.label, now.label))
    }
    Page.section({ id: 'summary', title: earlier ? 'The later recording' : 'Summary', command: 'summary' }, (host) =>
      Summary.build(host, report.answers.summary, report.left_out['summary/findings'] ?? 0))
    Page.timeline()
    Page.flames()
    for (const section of Sections) Page.signal(section)
    Page.section({ id: 'coverage', title: 'Coverage', lead:
      'Signals that were not recorded, or have nothing to show, have no section above.' },
    (host) => Summary.coverage(host, report.answers.summary))
    Page.foot()
    contents()
    Folding.start()
    if (FlameTabs.stateOf(location.hash)) document.getElementById('flames')?.scrollIntoView()
  },

  head() {
    const { now, earlier } = Page
    const facts = make('dl', 'facts')
    for (const [name, value] of now.facts) facts.append(make('div', '', make('dt', '', name), make('dd', '', value)))
    const notes = now.notes.map((note) => make('p', 'note', prose(note)))
    document.getElementById('head').append(make('p', 'kicker', earlier ? 'Two recordings' : 'Recording'),
      make('h1', '', now.title), facts,
      ...(earlier ? [make('p', 'compared', `Compared with: ${earlier.facts.map(([, value]) => value).slice(0, 4).join(', ')}`)] : []),
      ...notes)
  },

  // A section with its heading; `fill(host)` adds its contents.
  section({ id, title, lead, command }, fill, side = Page.sides().now) {
    const heading = make('h2', '', title)
    heading.id = `${id}-title`
    const host = make('section', '', make('div', 'section-head', heading,
      command ? commandLine(commandFor(command, side.label)) : null))
    host.id = id
    host.setAttribute('aria-labelledby', heading.id)
    const sentence = typeof lead === 'function' ? lead(side.answers) : lead
    if (sentence) host.append(make('p', 'lead', sentence))
    fill(host)
    document.getElementById('report').append(host)
  },

  // What sections are made from: the page's recording, compared with the earlier one; or the
  // earlier one alone.
  sides() {
    const { now, earlier } = Page
    return {
      now: { answers: report.answers, before: report.before, label: now.label, seconds: now.seconds,
        drawings: report.drawings, leftOut: report.left_out },
      earlier: earlier && { answers: report.before, before: null, label: earlier.label, seconds: earlier.seconds,
        drawings: report.drawings_before, leftOut: {} },
    }
  },

  // What only the earlier recording has is shown as well.
  signal(section) {
    const { now, earlier } = Page.sides()
    if (section.has(now.answers)) {
      const isGone = earlier && section.isGone?.(now.answers, earlier.answers)
      Page.section(section, (host) => {
        Page.fill(host, section, now)
        if (!isGone) return
        host.append(make('h3', 'apart', 'In the earlier recording'), make('p', 'lead', section.lead(earlier.answers)))
        Page.fill(host, section, earlier)
      })
    } else if (earlier && section.has(earlier.answers)) {
      Page.section({ ...section, title: `${section.title}, earlier recording` },
        (host) => Page.fill(host, section, earlier), earlier)
    }
  },

  fill(host, section, side) {
    const data = section.drawing && side.drawings[section.drawing]
    if (data) {
      const drawing = make('div', 'drawing')
      drawing.id = section.drawing
      host.append(drawing)
      Drawings[section.drawing](drawing, data)
    }
    section.build(host, { now: side.answers, before: side.before, label: side.label, seconds: side.seconds,
      beforeSeconds: side.before && Page.earlier.seconds, table: (place, options) => Page.table(place, options, side) })
  },

  // The rows of `list`, "COMMAND/key/key". `alone`: rows of the two recordings have nothing in
  // common; 'often': that is assumed if no row of one is in the other.
  table(host, options, side) {
    const find = (answers) => options.list.split('/').reduce((place, key) => place?.[key], answers) ?? []
    const rows = (options.arrange ?? ((all) => all))(find(side.answers))
    let before = side.before && options.alone !== true ? find(side.before) : null
    if (before && options.alone === 'often' && rows.length > 0 && !DataTable.haveCommon(rows, before, options.key)) before = null
    if (rows.length === 0 && !before?.length) return
    const table = new DataTable({
      ...options, columns: described(options.list, options.columns), rows, before,
      seconds: side.before && [Page.earlier.seconds, side.seconds],
      leftOut: side.leftOut[options.list] ?? 0,
      more: commandFor(`${options.list.split('/')[0]} --json`, side.label),
    })
    table.element.dataset.list = options.list
    host.append(table.element)
  },

  timeline() {
    const [now, before] = [report.answers.timeline, report.before?.timeline ?? null]
    if (!now || now.series.length + (before?.series.length ?? 0) === 0) return
    const lead = Page.earlier
      ? 'Each row is scaled to its own peak; the line is the earlier recording, on the same scale.'
      : 'Each row is scaled to its own peak.'
    Page.section({ id: 'timeline', title: 'Timeline', command: 'timeline', lead },
      (host) => new TimelineView(host, now, before))
  },

  flames() {
    if (FlameTabs.profiles().length === 0) return
    Page.section({ id: 'flames', title: 'Flame graphs', lead:
      'The width of a call is its total (callees included); callees are below their caller.' },
    () => {})
    FlameTabs.build(document.getElementById('flames'))
  },

  foot() {
    document.getElementById('foot').append(make('p', '', `Made by ${report.creator}. This page loads nothing and sends nothing.`))
  },
}

document.getElementById('theme').addEventListener('click', Theme.toggle)
Page.start()
