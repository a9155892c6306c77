// Parts from which sections are made; make.js creates elements.

// Drawings by name: Drawings.NAME = (host, data) => {}. See page.h.
const Drawings = {}

// JSON with texts for display: characters that change the direction of a line, break it or are
// invisible are spelled out, so that no name looks like another one.
function parsePlain(text) {
  const unseen = /[\u0000-\u001f\u007f-\u009f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/gu
  const escaped = (character) => `\\u${character.codePointAt(0).toString(16).padStart(4, '0')}`
  const isPlain = !/\\u[0-9a-f]{4}|\\[nrtbf]/i.test(text) && text.replaceAll('\n', '').search(unseen) < 0
  if (isPlain) return JSON.parse(text)
  return JSON.parse(text, (_, value) =>
    typeof value === 'string' ? value.replace(unseen, escaped) : value)
}

// Reads the JSON of an element of this page.
function readData(id) { return parsePlain(document.getElementById(id).textContent) }

// A name that may be broken after its dots and brackets, but not after the dot that begins a
// field's.
function nameText(name) {
  const element = make('span', 'name')
  for (const part of name.split(/(?<=[^][.<,(\[+!/])/)) element.append(part, document.createElement('wbr'))
  return element
}

// Commands print plain characters, because their output may go anywhere.
function typeset(text) {
  return text.replaceAll(' -> ', ' → ').replace(/\+-(?=\d)/g, '±')
}

// For our own words, not for names.
function capital(words) { return words.charAt(0).toUpperCase() + words.slice(1) }

// A sentence; text between backquotes is code.
function prose(sentence) {
  const text = document.createDocumentFragment()
  sentence.split(/`([^`]+)`/).forEach((part, i) => {
    if (part !== '') text.append(i % 2 === 1 ? make('code', '', part) : typeset(part))
  })
  return text
}

// A command line to copy.
function commandLine(command) {
  const code = make('code', '', command)
  const button = make('button', 'copy', 'Copy')
  button.type = 'button'
  button.setAttribute('aria-label', `Copy: ${command}`)
  button.addEventListener('click', async () => {
    try {
      await navigator.clipboard.writeText(command)
      button.textContent = 'Copied'
    } catch {
      getSelection().selectAllChildren(code)
      button.textContent = 'Selected'
    }
    setTimeout(() => { button.textContent = 'Copy' }, 1500)
  })
  return make('div', 'command', code, button)
}

// `hindsight cpu RECORDING`, quoted for a shell.
function commandFor(command, label) {
  const quoted = /^[\w./:@%+=-]+$/.test(label) ? label : `'${label.replaceAll("'", "'\\''")}'`
  return `hindsight ${command} ${quoted}`
}

// Frames of a stack, innermost first. `marked(index)`: a text after a frame, or nothing.
function stackList(frames, marked = () => '') {
  const list = make('ol', 'stack')
  frames.forEach((frame, i) => {
    const mark = marked(i)
    list.append(make('li', '', nameText(frame), mark ? make('span', 'mark', ` ← ${mark}`) : null))
  })
  return list
}

// A path through the heap: static Shop.Cache._items → Dictionary._entries → Item.
function chainList(parts) {
  return make('ol', 'chain', ...parts.map((part) => make('li', '', nameText(part))))
}

// `severity`: critical, warning, note, good. Everything but the title may be missing. `link`: where the title leads.
function findingCard({ severity, label, title, sentences = [], advice, command, link, body = [] }) {
  const words = link ? make('a', '', typeset(title)) : typeset(title)
  if (link) words.href = link
  const head = make('div', 'finding-head', make('span', 'badge', label ?? severity), make('h3', '', words))
  const card = make('article', 'finding', head, ...sentences.map((text) => make('p', 'evidence', prose(text))),
    advice ? make('p', 'advice', prose(advice)) : null, ...body, command ? commandLine(command) : null)
  card.dataset.severity = severity
  return card
}

// A few numbers in a row: [[label, text, below], ...].
function figureRow(figures) {
  const row = make('dl', 'figures')
  for (const [label, text, below] of figures) {
    row.append(make('div', '', make('dt', '', label), make('dd', '', text,
      below ? make('span', 'below', below) : null)))
  }
  return row
}
