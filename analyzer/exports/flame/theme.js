// Light or dark: as in the system, until the user chooses. Print is light.
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

  // For drawings that use their own colours; styled elements change by themselves.
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
