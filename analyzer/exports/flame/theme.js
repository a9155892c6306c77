// Light or dark: as the system has it, until somebody chooses. Print is light.
const Theme = {
  listeners: [],
  printing: false,

  isDark() {
    if (Theme.printing || matchMedia('print').matches) return false
    const chosen = document.documentElement.dataset.theme
    return chosen ? chosen === 'dark' : matchMedia('(prefers-color-scheme: dark)').matches
  },

  toggle() {
    document.documentElement.dataset.theme = Theme.isDark() ? 'light' : 'dark'
    Theme.changed()
  },

  // For what is drawn with colours of its own; what is styled changes by itself.
  onChange(listener) { Theme.listeners.push(listener) },
  changed() { for (const listener of Theme.listeners) listener() },
}
for (const query of ['(prefers-color-scheme: dark)', 'print']) {
  matchMedia(query).addEventListener('change', Theme.changed)
}
for (const [event, printing] of [['beforeprint', true], ['afterprint', false]]) {
  window.addEventListener(event, () => {
    Theme.printing = printing
    Theme.changed()
  })
}
