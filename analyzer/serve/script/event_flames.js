// Flame graphs of the selected time range and threads. There is one panel, which moves from one
// view to the next; zoom, search, callers and callees are kept.
const EventFlames = {
  titles: { cpu: 'CPU', allocations: 'Allocations', exceptions: 'Exceptions', wall: 'Wall-clock time' },
  made: null,  // {panel, flame}

  // `ask(signal)`: requests its data; `has`: the signals that have any.
  async show(host, at, has, ask) {
    if (has.length === 0) return
    EventFlames.made ??= EventFlames.make()
    const { panel, flame } = EventFlames.made
    const chosen = has.includes(at.signal) ? at.signal : has[0]
    const data = await ask(chosen)
    const tabs = make('div', 'tabs', ...has.map((signal) => EventFlames.tab(signal, signal === chosen)))
    tabs.setAttribute('role', 'tablist')
    tabs.setAttribute('aria-label', 'Signals')
    const section = make('section', '', make('h2', '', 'Flame graph'), make('p', 'lead',
      'Of the chosen part. The width of a call is its total (callees included); callees are below their caller.'), tabs, panel)
    section.id = 'flames'
    host.append(section)
    flame.onChange = (state) => {
      if (!section.isConnected) return
      Explorer.remember({ ...Object.fromEntries(FlameState.names.map((name) => [name, ''])), ...state })
    }
    flame.show(data, at)
  },

  make() {
    const made = flameHost()
    made.flame.listenTo(made.panel)
    window.flame = made.flame
    return made
  },

  tab(signal, isChosen) {
    const tab = make('button', '', EventFlames.titles[signal])
    tab.type = 'button'
    tab.setAttribute('role', 'tab')
    tab.setAttribute('aria-selected', String(isChosen))
    tab.addEventListener('click', () => {
      const { view, ...at } = Explorer.at()
      // A call of one signal does not exist in another.
      const rest = Object.fromEntries(Object.entries(at).filter(([name]) => !FlameState.names.includes(name)))
      Explorer.go(Address.of('events', { ...rest, signal }), true)
    })
    return tab
  },
}
