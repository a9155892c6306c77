// The flame graphs: one panel, and a tab for each signal that was recorded.
const FlameTabs = {
  names: { cpu: 'CPU', allocations: 'Allocations', exceptions: 'Exceptions', locks: 'Waits for locks', wall: 'Wall-clock time' },

  // Of an address that says what the flame graph shows; null: it does not.
  stateOf(hash) { return hash.startsWith('#flames&') ? FlameState.parse(hash.slice('#flames&'.length)) : null },

  // Shows who calls a function and what it calls. False: the flame graph of this signal does not have it.
  showFunction(signal, name) {
    const index = FlameTabs.signals().indexOf(signal)
    const frame = index < 0 ? -1 : FlameTabs.data(index).frames.name.indexOf(name, 1)
    if (frame < 0) return false
    FlameTabs.choose(index, { function: FlameIds.ofFrame(FlameTabs.data(index), frame) })
    return true
  },
  hasFunction(signal, name) {
    const index = FlameTabs.signals().indexOf(signal)
    return index >= 0 && FlameTabs.data(index).frames.name.includes(name, 1)
  },

  read: new Map(),
  data(index) {
    const id = FlameTabs.profiles()[index]
    if (!FlameTabs.read.has(id)) FlameTabs.read.set(id, readData(id))
    return FlameTabs.read.get(id)
  },

  signals() { return FlameTabs.profiles().map((id) => id.slice('profile-'.length)) },
  choose() {},  // (index, state): shows a signal
  profiles() { return [...document.querySelectorAll('script.profile')].map((element) => element.id) },

  // What the keyboard does.
  keys() {
    const keys = make('p', 'keys')
    'Click to zoom. Keyboard: [↑] [↓] [←] [→] move, [Enter] zooms, [S] shows callers and callees, [/] searches, [Enter] there walks from hit to hit, [Esc] resets.'
      .split(/\[([^\]]+)\]/).forEach((part, i) => keys.append(i % 2 === 1 ? make('kbd', '', part) : part))
    return keys
  },

  build(host) {
    const list = make('div', 'tabs')
    list.setAttribute('role', 'tablist')
    list.setAttribute('aria-label', 'Signals')
    const total = make('p', 'total', FlameParts.element('span', { id: 'total' }), ' ', FlameParts.element('span', { id: 'total-name' }))
    const controls = make('div', 'controls', total)
    const body = make('div')
    const panel = make('div', 'flame-panel', controls, body, FlameTabs.keys())
    panel.id = 'flame-tab'
    panel.setAttribute('role', 'tabpanel')
    host.append(list, panel)
    const flame = new FlamePanel({ controls, body }, { now: 'later recording', base: 'earlier recording' })
    const tabs = FlameTabs.profiles().map((id) => {
      const isEarlier = document.getElementById(id).classList.contains('earlier')
      const tab = make('button', '', `${FlameTabs.names[id.slice('profile-'.length)]}${isEarlier ? ', earlier recording' : ''}`)
      tab.type = 'button'
      tab.id = `tab-${id}`
      tab.setAttribute('role', 'tab')
      tab.setAttribute('aria-controls', panel.id)
      tab.addEventListener('click', () => choose(tabs.indexOf(tab)))
      list.append(tab)
      return tab
    })
    const choose = (index, state = {}) => {
      tabs.forEach((tab, i) => {
        tab.setAttribute('aria-selected', String(i === index))
        tab.tabIndex = i === index ? 0 : -1
      })
      panel.setAttribute('aria-labelledby', tabs[index].id)
      signal = index
      flame.show(FlameTabs.data(index), state)
    }
    FlameTabs.choose = choose
    // What is shown is in the address: #flames&signal=locks&search=Pay.
    let signal = 0
    flame.onChange = (state) => {
      const text = FlameState.text({ ...(signal > 0 ? { signal: FlameTabs.signals()[signal] } : {}), ...state })
      if (text !== '' || FlameTabs.stateOf(location.hash)) history.replaceState(history.state, '', text ? `#flames&${text}` : '#flames')
    }
    const follow = (state) => choose(Math.max(0, FlameTabs.signals().indexOf(state.signal)), state)
    window.addEventListener('hashchange', () => {
      const state = FlameTabs.stateOf(location.hash)
      if (state) follow(state)
    })
    list.addEventListener('keydown', (event) => {
      const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key]
      if (!step) return
      const at = (tabs.indexOf(document.activeElement) + step + tabs.length) % tabs.length
      choose(at)
      tabs[at].focus()
    })
    host.addEventListener('keydown', (event) => {
      if (event.key === 'Escape') flame.reset()
      if (event.key !== '/' || event.target.matches('input, select')) return
      event.preventDefault()
      document.getElementById('search').focus()
    })
    const hide = () => { document.getElementById('tip').hidden = true }
    document.addEventListener('scroll', hide, { passive: true })
    for (const graph of body.querySelectorAll('.graph')) graph.addEventListener('blur', hide)
    follow(FlameTabs.stateOf(location.hash) ?? {})
    window.flame = flame
  },
}
