// The .NET processes on this machine: what the trigger reports about them, and buttons to record
// them.
const Processes = {
  every: 2000,  // ms between two updates

  // Continues while the view exists. `changed()`: the folder may have another recording. The
  // promise resolves after the first update, or after half a second: what is below should not move
  // under the pointer.
  show(host, context, changed) {
    return new Promise((seen) => {
      Processes.look(host, context, changed, seen)
      setTimeout(seen, 500)
    })
  },

  async look(host, { signal, gone }, changed, seen) {
    const section = make('section', '', make('h2', '', 'Processes of this machine'))
    section.id = 'processes'
    const lead = make('p', 'lead', 'Looking for .NET processes …')
    const list = make('ol', 'recordings')
    section.append(lead, list)
    host.append(section)
    const shown = new Map()  // pid to what Processes.card returned
    while (!gone()) {
      if (document.visibilityState === 'visible') {
        try {
          const answer = await Server.ask('processes', {}, signal)
          lead.replaceChildren(prose(answer.unavailable || Processes.lead(answer.processes.length)))
          await Processes.update(list, shown, answer, { signal, changed })
          if (answer.unavailable) return seen()
        } catch (error) {
          if (gone()) return
          lead.replaceChildren(make('span', 'failed', error instanceof AnswerError ? error.message : 'The server does not answer.'))
        }
      }
      seen()
      await new Promise((done) => setTimeout(done, Processes.every))
    }
  },

  lead(count) {
    return count === 0 ? 'There is no .NET process that this user can see.'
      : 'Recorded into this folder. A recording ends when it is stopped, or with the process.'
  },

  // Cards remain the same elements, so that choices and the focus are not lost.
  async update(list, shown, { processes, choices }, context) {
    const pids = new Set(processes.map(({ pid }) => pid))
    for (const [pid, card] of shown) {
      if (pids.has(pid)) continue
      // Its last message remains readable.
      if (card.isRecorded) context.changed()
      if (!card.said.textContent) card.element.remove()
      else card.end()
      shown.delete(pid)
    }
    for (const row of processes) {
      if (!shown.has(row.pid)) {
        const card = Processes.card(row, choices, context)
        shown.set(row.pid, card)
        list.append(card.element)
      }
      shown.get(row.pid).update(row)
    }
    await Promise.all(processes.filter(({ recorded }) => recorded && recorded !== 'no')
      .map(({ pid }) => shown.get(pid).ask(context.signal)))
  },

  card({ pid, user, runtime, command }, choices, { signal, changed }) {
    const [state, note, status] = [make('span', 'state'), make('p', 'note'), make('p', 'below live')]
    const said = make('pre', 'said')
    said.setAttribute('role', 'status')
    const button = (title, verb, values = () => ({})) => {
      const made = make('button', 'compare', title)
      made.type = 'button'
      made.dataset.verb = verb
      made.addEventListener('click', () => run(verb, values()))
      return made
    }
    const choice = (name, label) => {
      const select = make('select', '', ...choices[name].map(([value, title]) => {
        const option = make('option', '', title)
        option.value = value
        return option
      }))
      select.name = name
      select.setAttribute('aria-label', `${label} of process ${pid}`)
      return select
    }
    const [what, time] = [choice('what', 'What to record'), choice('for', 'How long to record')]
    const record = button('Record', 'record', () => ({ what: what.value, for: time.value }))
    const snapshots = choices.of.map(([of, title]) => {
      const made = button(title, 'snapshot', () => ({ of }))
      made.dataset.of = of
      return made
    })
    const stop = button('Stop', 'stop')
    const controls = make('div', 'controls', record, what, time, ...snapshots, stop)
    const element = make('li', 'recording process', make('div', 'what', make('h3', '', nameText(command)),
      make('p', 'below', `pid ${pid} · ${user}${runtime ? ` · .NET ${runtime}` : ''} · `, state), note, controls, status, said))
    element.dataset.pid = pid
    note.hidden = said.hidden = true
    const card = { element, said, isRecorded: false, isBusy: false }
    const enable = () => {
      element.classList.toggle('is-recorded', card.isRecorded)
      for (const one of [record, what, time]) one.disabled = card.isBusy || card.isRecorded
      for (const one of snapshots) one.disabled = card.isBusy
      stop.disabled = card.isBusy || !card.isRecorded
    }
    const run = async (verb, values) => {
      card.isBusy = true
      enable()
      said.hidden = false
      said.className = 'said'
      said.textContent = 'hindsight-trigger is working …'
      try {
        const { exit_code: code, said: lines } = await Server.post(verb, { pid, ...values })
        said.textContent = [...lines, ...(code === 0 ? [] : [`(exit code ${code})`])].join('\n')
        said.classList.toggle('failed', code !== 0)
        if (verb !== 'snapshot' && code === 0) card.recorded(verb === 'record')
      } catch (error) {
        said.textContent = error instanceof AnswerError ? error.message : 'The server does not answer.'
        said.classList.add('failed')
      }
      card.isBusy = false
      enable()
      if (!signal.aborted) changed()
    }
    card.recorded = (isRecorded) => {
      if (card.isRecorded && !isRecorded) changed()
      card.isRecorded = isRecorded
      if (!isRecorded) status.textContent = ''
      enable()
    }
    card.update = (row) => {
      state.textContent = row.recorded === '' ? 'unknown whether it is recorded' : row.recorded === 'no' ? 'not recorded' : row.recorded
      note.textContent = row.note
      note.hidden = row.note === ''
      if (!card.isBusy) card.recorded(row.recorded !== '' && row.recorded !== 'no')
    }
    card.ask = async (signal) => {
      const { answer, exit_code: code } = await Server.ask('status', { pid }, signal)
      status.textContent = answer.ok ? Processes.told(answer.status) : `${answer.what} ${answer.next} (exit code ${code})`
    }
    card.end = () => {
      controls.remove()
      status.remove()
      state.textContent = 'has ended'
    }
    return card
  },

  told(status) {
    return [`for ${Format.duration(status.elapsed_ns)}`, status.remaining_ns !== undefined ? `${Format.duration(status.remaining_ns)} left` : null,
      `${Format.count(status.events)} events`, `${Format.bytes(status.written_bytes)} written`,
      status.lost > 0 ? `${Format.count(status.lost)} dropped` : null, `into ${status.output}`,
      status.last_error || null].filter((part) => part).join(' · ')
  },
}
