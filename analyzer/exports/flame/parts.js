// The elements of a FlamePanel.
const FlameParts = {
  element(tag, attributes = {}, ...children) {
    const element = make(tag, '', ...children)
    for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value)
    return element
  },

  // The controls, for a line above the graph. `words`: {now, base}, the names of the two
  // recordings.
  controls(host, words) {
    const { element } = FlameParts
    const button = (id, text, title, name = title) =>
      element('button', { id, type: 'button', title, 'aria-label': name }, text)
    const choice = (id, label, options = []) => element('label', {}, `${label} `,
      element('select', { id }, ...options.map(([value, text]) => element('option', { value }, text))))
    const lens = makeSvg('svg', { viewBox: '0 0 16 16', 'aria-hidden': 'true' },
      makeSvg('circle', { cx: 7, cy: 7, r: 4.5 }), makeSvg('path', { d: 'm10.5 10.5 4 4' }))
    const search = element('div', { class: 'search', role: 'search' }, lens,
      element('input', { id: 'search', type: 'search', placeholder: 'Search, or a regular expression', 'aria-label': 'Search the flame graph',
        spellcheck: 'false', autocomplete: 'off' }),
      element('output', { id: 'matched', for: 'search' }),
      button('previous-hit', '↑', 'Shift+Enter', 'Previous hit'), button('next-hit', '↓', 'Enter', 'Next hit'))
    const reset = element('button', { id: 'reset', type: 'button', title: 'Esc' }, 'Reset')
    host.prepend(search, choice('measure', 'show'),
      choice('widths', 'widths', [['now', words.now], ['base', words.base], ['both', 'both, side by side']]),
      choice('colours', 'colors', [['change', 'change'], ['kind', 'kind of code']]),
      element('button', { id: 'open-sandwich', type: 'button', disabled: '', title: 'Of the selected function, merged over all its calls (S)' },
        'Callers and callees'), reset,
      ...['SVG', 'PNG'].map((kind) => button(`save-${kind.toLowerCase()}`, kind, `Save what is seen as ${kind}`)))
  },

  // Legend, path, the graph, those of two recordings next to each other, and those of a function's
  // callers and callees.
  body(host, words) {
    const { element } = FlameParts
    const graph = (id, label) => element('div', { id, class: 'graph', tabindex: '0', role: 'application',
      'aria-label': `${label}: arrow keys move, Enter zooms, S shows callers and callees, Escape resets, slash searches` },
    make('div', 'spacer', make('canvas')))
    host.append(element('div', { id: 'legend', 'aria-label': 'Legend' }),
      element('nav', { id: 'path', 'aria-label': 'Zoomed to' }),
      graph('flame', 'Flame graph'),
      element('div', { id: 'sides', hidden: '' }, ...[['before', words.base], ['after', words.now]].map(([id, word]) => {
        const name = word[0].toUpperCase() + word.slice(1)
        return make('div', 'side', make('p', 'half', name, ' ', element('span', { id: `${id}-total` })), graph(id, name))
      })),
      element('div', { id: 'sandwich', hidden: '' }, make('p', 'half', 'Callers'), graph('callers', 'Callers'),
        make('p', 'half', 'Callees'), graph('callees', 'Callees')))
  },
}
