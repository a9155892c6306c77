// The folder: its recordings, the newest first, and the choice of two.
const Recordings = {
  // 2026-11-21 10:15:30
  time(unixNs) {
    return unixNs > 0 ? new Date(unixNs / 1e6).toISOString().slice(0, 19).replace('T', ' ') : '–'
  },

  async show(host, _, { signal, gone }) {
    const { place, recordings } = await Server.ask('list', {}, signal)
    host.append(viewHead('Recordings', place))
    if (recordings.length === 0) return host.append(make('p', 'lead', 'There is no recording in this folder.'))
    const compare = make('button', 'compare', 'What changed')
    compare.type = 'button'
    const chosen = []
    const lead = make('p', 'lead')
    const say = () => {
      compare.disabled = chosen.length !== 2
      lead.textContent = recordings.length < 2 ? ''
        : chosen.length === 2 ? 'Two are chosen.' : `Choose two recordings to see what changed: ${chosen.length} chosen.`
    }
    compare.addEventListener('click', () => {
      const [first, second] = [...chosen].sort((a, b) => a.started_unix_ns - b.started_unix_ns)
      location.assign(Address.report(second.recording, first.recording))
    })
    const cards = recordings.map((row) => Recordings.card(row, (isChosen) => {
      if (isChosen) chosen.push(row)
      else chosen.splice(chosen.indexOf(row), 1)
      say()
    }, recordings.length > 1))
    say()
    if (recordings.length > 1) host.append(make('div', 'compare-bar', lead, compare))
    host.append(make('ol', 'recordings', ...cards))
    // One after the other: each may have to be read as a whole.
    for (let i = 0; i < recordings.length && !gone(); ++i) {
      await Recordings.fill(cards[i].querySelector('.brief'), recordings[i], signal)
    }
  },

  card(row, choose, canChoose) {
    const box = make('input')
    box.type = 'checkbox'
    box.setAttribute('aria-label', `Choose ${row.recording} to compare`)
    box.addEventListener('change', () => choose(box.checked))
    const title = linkTo(Address.report(row.recording), nameText(row.application || row.recording))
    const facts = [Recordings.time(row.started_unix_ns), row.pid ? `pid ${row.pid}` : null, Format.bytes(row.bytes),
      row.snapshots > 0 ? `${row.snapshots} heap ${row.snapshots === 1 ? 'snapshot' : 'snapshots'}` : null].filter((fact) => fact)
    const card = make('li', 'recording', canChoose ? box : null, make('div', 'what', make('h3', '', title),
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
