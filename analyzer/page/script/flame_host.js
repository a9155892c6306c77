// A flame panel with its total and a line about its keys: {panel: element, flame: FlamePanel}.
function flameHost() {
  const total = make('p', 'total', FlameParts.element('span', { id: 'total' }), ' ', FlameParts.element('span', { id: 'total-name' }))
  const controls = make('div', 'controls', total)
  const body = make('div')
  const keys = make('p', 'keys')
  'Click to zoom. Keyboard: [↑] [↓] [←] [→] move, [Enter] zooms, [S] shows callers and callees, [/] searches, [Enter] goes to the next hit, [Esc] resets.'
    .split(/\[([^\]]+)\]/).forEach((part, i) => keys.append(i % 2 === 1 ? make('kbd', '', part) : part))
  const panel = make('div', 'flame-panel', controls, body, keys)
  return { panel, flame: new FlamePanel({ controls, body }, { now: 'later recording', base: 'earlier recording' }) }
}
