// Puts the page together.

const report = readData('data')

const Page = {
  now: report.recordings[report.recordings.length - 1],
  earlier: report.recordings.length > 1 ? report.recordings[0] : null,

  start() {
    const { now, earlier } = Page
    document.title = `${now.title}${earlier ? ', compared' : ''} – Hindsight`
    Page.head()
    const context = {
      now: report.answers, before: report.before, label: now.label,
      seconds: earlier ? [earlier.seconds, now.seconds] : [now.seconds, now.seconds],
      table: (host, options) => Page.table(host, options),
    }
    if (report.comparison) {
      Page.section({ id: 'changes', title: 'What changed' },
        (host) => Summary.changes(host, report.comparison, now.label))
    }
    Page.section({ id: 'summary', title: earlier ? 'The later recording' : 'Summary', command: 'summary' }, (host) =>
      Summary.build(host, report.answers.summary, report.left_out['summary/findings'] ?? 0))
    Page.timeline()
    Page.flames()
    for (const section of Sections) {
      if (section.has(report.answers)) Page.section(section, (host) => Page.fill(host, section, context))
    }
    Page.section({ id: 'coverage', title: 'What was looked at', lead:
      'What was not recorded, or has nothing to show, has no section above.' },
    (host) => Summary.coverage(host, report.answers.summary))
    Page.foot()
    Page.contents()
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

  // A section with its heading; `fill(host)` brings what is in it.
  section({ id, title, lead, command }, fill) {
    const heading = make('h2', '', title)
    heading.id = `${id}-title`
    const host = make('section', '', make('div', 'section-head', heading,
      command ? commandLine(commandFor(command, Page.now.label)) : null))
    host.id = id
    host.setAttribute('aria-labelledby', heading.id)
    const sentence = typeof lead === 'function' ? lead(report.answers) : lead
    if (sentence) host.append(make('p', 'lead', sentence))
    fill(host)
    document.getElementById('report').append(host)
  },

  fill(host, section, context) {
    const data = section.drawing && report.drawings[section.drawing]
    if (data) {
      const drawing = make('div', 'drawing')
      drawing.id = section.drawing
      host.append(drawing)
      Drawings[section.drawing](drawing, data)
    }
    section.build(host, context)
  },

  // The rows of `list`, "COMMAND/key/key". `alone`: rows of two recordings have nothing in common.
  table(host, options) {
    const find = (answers) => options.list.split('/').reduce((place, key) => place?.[key], answers) ?? []
    const rows = find(report.answers)
    const before = Page.earlier && !options.alone ? find(report.before) : null
    if (rows.length === 0 && !before?.length) return
    const table = new DataTable({
      ...options, rows, before,
      seconds: Page.earlier && [Page.earlier.seconds, Page.now.seconds],
      leftOut: report.left_out[options.list] ?? 0,
      more: commandFor(`${options.list.split('/')[0]} --json`, Page.now.label),
    })
    table.element.dataset.list = options.list
    host.append(table.element)
  },

  timeline() {
    const now = report.answers.timeline
    if (!now || now.series.length === 0) return
    const lead = Page.earlier
      ? 'Each row is drawn to its own peak; the line is the earlier recording, on the same scale.'
      : 'Each row is drawn to its own peak.'
    Page.section({ id: 'timeline', title: 'Timeline', command: 'timeline', lead },
      (host) => new TimelineView(host, now, report.before?.timeline ?? null))
  },

  flames() {
    if (FlameTabs.profiles().length === 0) return
    Page.section({ id: 'flames', title: 'Flame graphs', lead:
      'A call is as wide as what it and all that it calls took; those that it calls stand below it.' },
    () => {})
    FlameTabs.build(document.getElementById('flames'))
  },

  foot() {
    document.getElementById('foot').append(make('p', '', `Made by ${report.creator}. This page loads nothing and sends nothing.`))
  },

  contents() {
    const list = document.querySelector('#contents ol')
    const links = new Map()
    for (const section of document.querySelectorAll('main > section')) {
      const link = make('a', '', section.querySelector('h2').textContent)
      link.href = `#${section.id}`
      links.set(section, link)
      list.append(make('li', '', link))
    }
    // The section at the top of the window is the one that is read.
    const mark = () => {
      const at = [...links.keys()].filter((section) => section.getBoundingClientRect().top < innerHeight * 0.35).pop()
      for (const [section, link] of links) {
        if (section !== at) {
          link.removeAttribute('aria-current')
        } else if (!link.hasAttribute('aria-current')) {
          link.setAttribute('aria-current', 'true')
          list.scrollLeft = link.offsetLeft - list.offsetLeft - 40
        }
      }
    }
    document.addEventListener('scroll', mark, { passive: true })
    window.addEventListener('resize', mark)
    mark()
  },
}

document.getElementById('theme').addEventListener('click', Theme.toggle)
Page.start()
