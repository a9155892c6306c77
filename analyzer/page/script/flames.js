// The flame graphs: one panel, with a tab for each recorded signal.
const FlameTabs = {
  names: { cpu: 'CPU', allocations: 'Allocations', exceptions: 'Exceptions', locks: 'Waits for locks', wall: 'Wall-clock time' },

  // The state in an address that says what the flame graph shows; null: it does not say.
  stateOf(hash) { return hash.startsWith('#flames&') ? FlameState.parse(hash.slice('#flames&'.length)) : null },

  // Shows a function's callers and callees. False: the flame graph of this signal does not contain
  // it.
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

  build(host) {
    const list = make('div', 'tabs')
    list.setAttribute('role', 'tablist')
    list.setAttribute('aria-label', 'Signals')
    const { panel, flame } = flameHost()
    panel.id = 'flame-tab'
    panel.setAttribute('role', 'tabpanel')
    host.append(list, panel)
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
    flame.listenTo(host)
    follow(FlameTabs.stateOf(location.hash) ?? {})
    window.flame = flame
  },
}
