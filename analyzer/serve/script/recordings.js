// The folder: its recordings, newest first, and the selection of two.
const Recordings = {
  // 2026-11-21 10:15:30
  time(unixNs) {
    return unixNs > 0 ? new Date(unixNs / 1e6).toISOString().slice(0, 19).replace('T', ' ') : '–'
  },

  async show(host, _, context) {
    const { place, recordings } = await Server.ask('list', {}, context.signal)
    host.append(viewHead('Recordings', place))
    const list = Recordings.list()
    await Processes.show(host, context, () => Recordings.again(list, context))
    host.append(make('h2', 'recordings-head', 'Recordings'), list.head, list.cards)
    await Recordings.update(list, recordings, context)
  },

  // What is shown of the folder: cards by recording name, and the selected ones.
  list() {
    const compare = make('button', 'compare', 'What changed')
    compare.type = 'button'
    const lead = make('p', 'lead')
    const list = { head: make('div', 'compare-bar', lead, compare), cards: make('ol', 'recordings'), shown: new Map(), chosen: [] }
    compare.addEventListener('click', () => {
      const [first, second] = [...list.chosen].sort((a, b) => a.started_unix_ns - b.started_unix_ns)
      location.assign(Address.report(second.recording, first.recording))
    })
    list.say = () => {
      compare.disabled = list.chosen.length !== 2
      compare.hidden = list.shown.size < 2
      lead.textContent = list.shown.size === 0 ? 'There is no recording in this folder.' : list.shown.size === 1 ? ''
        : list.chosen.length === 2 ? 'Two are chosen.' : `Choose two recordings to see what changed: ${list.chosen.length} chosen.`
    }
    return list
  },

  async again(list, context) {
    try {
      const { recordings } = await Server.ask('list', {}, context.signal)
      await Recordings.update(list, recordings, context)
    } catch (error) {
      if (!context.gone()) Explorer.say(error instanceof AnswerError ? error.message : 'The server does not answer.')
    }
  },

  // Unchanged ones stay. New ones, and those that have grown, are read.
  async update(list, recordings, { signal, gone }) {
    const isNamed = new Set(recordings.map(({ recording }) => recording))
    for (const [name, { card }] of list.shown) {
      if (isNamed.has(name)) continue
      card.remove()
      list.shown.delete(name)
      list.chosen = list.chosen.filter(({ recording }) => recording !== name)
    }
    const fresh = []
    recordings.forEach((row, i) => {
      const known = list.shown.get(row.recording)
      if (known && known.bytes === row.bytes) return
      const card = Recordings.card(row, (isChosen) => {
        list.chosen = [...list.chosen.filter(({ recording }) => recording !== row.recording), ...(isChosen ? [row] : [])]
        list.say()
      })
      card.querySelector('input').checked = list.chosen.some(({ recording }) => recording === row.recording)
      if (known) known.card.replaceWith(card)
      else list.cards.insertBefore(card, list.cards.children[i] ?? null)
      list.shown.set(row.recording, { card, bytes: row.bytes })
      fresh.push([card, row])
    })
    list.cards.classList.toggle('is-one', list.shown.size < 2)
    list.say()
    // One at a time, because each may have to be read completely.
    for (const [card, row] of fresh) {
      if (gone()) return
      if (card.isConnected || !list.cards.isConnected) await Recordings.fill(card.querySelector('.brief'), row, signal)
    }
  },

  card(row, choose) {
    const box = make('input')
    box.type = 'checkbox'
    box.setAttribute('aria-label', `Choose ${row.recording} to compare`)
    box.addEventListener('change', () => choose(box.checked))
    const title = linkTo(Address.report(row.recording), nameText(row.application || row.recording))
    const facts = [Recordings.time(row.started_unix_ns), row.pid ? `pid ${row.pid}` : null, Format.bytes(row.bytes),
      row.snapshots > 0 ? `${row.snapshots} heap ${row.snapshots === 1 ? 'snapshot' : 'snapshots'}` : null].filter((fact) => fact)
    const card = make('li', 'recording', box, make('div', 'what', make('h3', '', title),
      make('p', 'below', facts.join(' · ')), make('p', 'brief', make('span', 'below', 'reading …')), Recordings.links(row)))
    card.dataset.recording = row.recording
    return card
  },

  links(row) {
    const links = Address.views(row, { events: true, heap: row.snapshots > 0 })
    return linkRow(links.slice(1).map(([title, address]) => [title, address]))
  },

  async fill(place, row, signal) {
    try {
      const brief = await Server.ask('brief', { recording: row.recording }, signal)
      const [first] = brief.findings
      const badge = first ? make('span', 'badge', first.severity) : make('span', 'badge', 'no findings')
      badge.dataset.severity = first?.severity ?? 'note'
      place.replaceChildren(badge, ' ', first ? typeset(first.title) : '', make('span', 'below',
        [brief.duration_ns > 0 ? `${Format.duration(brief.duration_ns)} recorded` : null, brief.host, brief.runtime && `.NET ${brief.runtime}`,
          brief.findings.length === 2 ? '1 more finding' : brief.findings.length > 2 ? `${brief.findings.length - 1} more findings` : null].filter((text) => text).join(' · ')))
    } catch (error) {
      if (!(error instanceof AnswerError)) throw error
      place.replaceChildren(make('span', 'below failed', error.message))
    }
  },
}
