// What is shown follows the address: ?view=heap&recording=...
const Explorer = {
  // `at`: the view that is marked in the list at the side. `early`: its contents are shown while
  // the rest is still being requested.
  views: {
    recordings: { title: 'Recordings', show: Recordings.show, early: true },
    heap: { title: 'Heap', show: HeapPages.show },
    type: { title: 'Objects', show: HeapPages.showType, at: 'heap' },
    object: { title: 'Object', show: ObjectPage.show, at: 'heap' },
    dominators: { title: 'Dominators', show: HeapPages.showDominators },
    changes: { title: 'Heap changes', show: HeapChanges.show },
    events: { title: 'Time and threads', show: EventsPage.show },
    sql: { title: 'SQL', show: SqlPage.show, early: true },
  },
  asked: null,  // AbortController of the current request

  start() {
    document.getElementById('theme').addEventListener('click', Theme.toggle)
    document.addEventListener('click', (event) => {
      const link = event.target.closest?.('a[href^="./"]')
      if (!link || event.ctrlKey || event.metaKey || event.shiftKey || event.button !== 0) return
      event.preventDefault()
      Explorer.go(link.getAttribute('href'))
    })
    window.addEventListener('popstate', () => Explorer.show())
    document.getElementById('foot').append(make('p', '', 'From this machine only; nothing is sent anywhere else.'))
    Explorer.show()
  },

  // `stays`: the new view is a variant of the current one, and the window does not scroll.
  go(address, stays = false) {
    history.pushState(null, '', address)
    if (!stays) scrollTo(0, 0)
    Explorer.show()
  },

  // Without showing it again.
  remember(changed) {
    const { view, ...at } = { ...Explorer.at(), ...changed }
    const { dataset } = document.getElementById('report')
    const isShown = dataset.shown === location.search
    history.replaceState(history.state, '', Address.of(view, at))
    if (isShown) dataset.shown = location.search
  },

  at() { return Object.fromEntries(new URLSearchParams(location.search)) },

  say(text) { document.getElementById('spoken').textContent = text },

  async show() {
    Explorer.asked?.abort()
    const asked = Explorer.asked = new AbortController()
    const at = Explorer.at()
    const view = Explorer.views[at.view ?? 'recordings'] ?? Explorer.views.recordings
    const main = document.getElementById('report')
    // The old contents stay until there are new ones, and are then replaced as a whole.
    const host = make('div', 'view')
    const busy = setTimeout(() => main.classList.add('busy'), 150)
    Explorer.contents(at, view)
    const put = () => {
      clearTimeout(busy)
      main.classList.remove('busy')
      main.replaceChildren(host)
    }
    document.title = `${view.title}${at.recording ? `, ${at.recording}` : ''} – Hindsight`
    try {
      const done = view.show(host, at, { signal: asked.signal, gone: () => asked.signal.aborted, put })
      if (view.early) setTimeout(() => { if (!asked.signal.aborted) put() }, 100)
      await done
      if (asked.signal.aborted) return
    } catch (error) {
      if (asked.signal.aborted) return
      const sentence = error instanceof AnswerError ? error.message
        : error instanceof TypeError && /fetch/i.test(error.message) ? 'The server does not answer: has `hindsight serve` ended?' : String(error)
      if (!(error instanceof AnswerError)) console.warn(error)
      host.append(make('p', 'note failed', prose(sentence)))
    }
    if (host.parentElement !== main) put()
    clearTimeout(busy)
    main.classList.remove('busy')
    main.dataset.shown = location.search
  },

  contents(at, shown) {
    const list = document.querySelector('#contents ol')
    const has = { events: true, heap: true }
    const views = at.recording ? Address.views(at, has) : [['Recordings', Address.of(), 'recordings']]
    const current = shown.at ?? Object.keys(Explorer.views).find((name) => Explorer.views[name] === shown)
    list.replaceChildren(...views.map(([title, address, name]) => {
      const link = linkTo(address, title)
      if (name === current) link.setAttribute('aria-current', 'true')
      return make('li', '', link)
    }))
    if (at.recording) list.prepend(make('li', 'of', nameText(at.recording)))
    // In a narrow window, the list is a single line that scrolls.
    const marked = list.querySelector('[aria-current]')
    if (marked) list.scrollLeft = marked.offsetLeft - list.offsetLeft - 40
  },
}

Explorer.start()
