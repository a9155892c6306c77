// A selected time range and its threads: the timeline of everything, and below it the tables of the
// selection.
const EventsPage = {
  sections: ['cpu', 'wall', 'allocations', 'exceptions', 'pauses'],

  async show(host, at, { signal }) {
    const ns = (text) => (text ? Math.round(Number(text) * 1e9) : null)
    const part = { recording: at.recording, from: ns(at.from), to: ns(at.to), thread: at.thread }
    const answers = { cpu: null, allocations: null, exceptions: null, gc: null, wall: null, ...await Server.ask('events', part, signal) }
    host.append(viewHead('Time and threads', at.recording, make('p', 'lead',
      `${answers.timeline.series.length > 0 ? 'Drag over the timeline to choose' : 'Choose'} a part of the time. The flame graph and the tables below are of that part.`)))
    host.append(EventsPage.form(at, answers))
    EventsPage.timeline(host, at, answers)
    const sections = Object.fromEntries(Sections.map((section) => [section.id, section]))
    // The table of wall-clock time is for all threads; its flame graph may be for one.
    const hasFlames = (name) => (name === 'wall' ? answers.waits_seen : sections[name].has(answers))
    await EventFlames.show(host, at, Object.keys(EventFlames.titles).filter(hasFlames),
      (name) => Server.ask('flames', { ...part, signal: name }, signal))
    const chosen = Sections.filter(({ id }) => EventsPage.sections.includes(id))
    const shown = chosen.filter((section) => section.has(answers))
    for (const section of shown) {
      const part = make('section', '', make('h2', '', section.title), make('p', 'lead', section.lead(answers)))
      part.id = section.id
      section.build(part, { now: answers, before: null, label: at.recording, table: (place, options) => EventsPage.table(place, options, answers) })
      host.append(part)
    }
    if (shown.length === 0) host.append(make('p', 'lead', 'Nothing was recorded in this part.'))
  },

  // Threads link to what they alone did.
  table(host, options, answers) {
    const rows = options.list.split('/').reduce((place, key) => place?.[key], answers) ?? []
    if (rows.length === 0) return
    const link = ({ thread }) => (thread ? EventsPage.address({ thread: String(thread.os_id) }) : null)
    const columns = described(options.list, options.columns)
    if (options.list.endsWith('/threads')) columns[0] = { ...columns[0], link }
    const table = new DataTable({ ...options, columns, rows })
    table.element.dataset.list = options.list
    host.append(table.element)
  },

  form(at, answers) {
    const field = (label, name, hint) => {
      const input = make('input')
      input.value = at[name] ?? ''
      input.name = name
      input.placeholder = hint
      input.autocomplete = 'off'
      input.spellcheck = false
      return make('label', '', `${label} `, input)
    }
    const apply = make('button', 'more', 'Show')
    apply.type = 'submit'
    const whole = linkTo(Address.of('events', { recording: at.recording }), 'All of it')
    const form = make('form', 'controls', field('From second', 'from', 'start'), field('to', 'to', 'end'),
      field('thread', 'thread', 'name or id'), apply, at.from || at.to || at.thread ? whole : null)
    const names = new Set([...(answers.cpu?.threads ?? []), ...(answers.allocations?.threads ?? [])]
      .map(({ thread }) => thread?.name || thread?.os_id).filter((name) => name))
    const list = make('datalist', '', ...[...names].slice(0, 200).map((name) => {
      const option = make('option')
      option.value = name
      return option
    }))
    list.id = 'threads'
    form.append(list)
    form.elements.thread.setAttribute('list', 'threads')
    form.addEventListener('submit', (event) => {
      event.preventDefault()
      const { from, to, thread } = form.elements
      EventsPage.choose(from.value.trim(), to.value.trim(), thread.value.trim())
    })
    return form
  },

  choose(from, to, thread) {
    const isTime = (text) => text === '' || /^\d+(\.\d+)?$/.test(text)
    if (!isTime(from) || !isTime(to)) return Explorer.say('From and to are seconds, such as 2 or 2.5.')
    Explorer.go(EventsPage.address({ from, to, thread }), true)
  },

  // The address of another part; the flame graph keeps its state.
  address(part) {
    const { view, hit, ...rest } = { ...Explorer.at(), ...part }
    return Address.of('events', rest)
  },

  timeline(host, at, { timeline }) {
    if (timeline.series.length === 0) return
    new TimelineView(host, timeline, null)
    const plot = host.querySelector('.timeline')
    plot.classList.add('brushed')
    // A mark in each plot, so that it covers no label.
    const brushes = [...plot.querySelectorAll('.series .plot')].map((series) => {
      const brush = make('div', 'brush')
      series.append(brush)
      return brush
    })
    const span = Math.max(timeline.to_ns - timeline.from_ns, 1)
    const area = () => plot.querySelector('.series .plot').getBoundingClientRect()
    const paint = (from, to) => {
      for (const brush of brushes) {
        brush.style.left = `${from * 100}%`
        brush.style.width = `max(1px, ${(to - from) * 100}%)`
        brush.hidden = false
      }
    }
    const share = (seconds, otherwise) => (seconds ? Math.min(1, Math.max(0, (Number(seconds) * 1e9 - timeline.from_ns) / span)) : otherwise)
    const restore = () => {
      if (at.from || at.to) paint(share(at.from, 0), share(at.to, 1))
      else for (const brush of brushes) brush.hidden = true
    }
    restore()
    let begun = null
    const where = (event) => Math.min(1, Math.max(0, (event.clientX - area().left) / area().width))
    plot.addEventListener('pointerdown', (event) => {
      begun = where(event)
      plot.setPointerCapture(event.pointerId)
    })
    plot.addEventListener('pointermove', (event) => {
      if (begun !== null) paint(Math.min(begun, where(event)), Math.max(begun, where(event)))
    })
    plot.addEventListener('pointerup', (event) => {
      if (begun === null) return
      const [from, to] = [begun, where(event)].sort((a, b) => a - b)
      begun = null
      if (to - from < 0.005) return restore()
      const second = (part) => String(Number(((timeline.from_ns + part * span) / 1e9).toPrecision(5)))
      EventsPage.choose(second(from), second(to), at.thread ?? '')
    })
  },
}
