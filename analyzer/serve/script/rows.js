// What the views share: requests to the server, links, pages of long lists.

// An error from the server, in its words.
class AnswerError extends Error {}

const Server = {
  // JSON of api/NAME.
  async ask(name, values, signal) { return parsePlain(await Server.text(name, values, signal)) },

  async text(name, values, signal) {
    const response = await fetch(`api/${name}?${Address.query(values)}`, { signal })
    return Server.answer(response)
  },

  // For changes: do/NAME.
  async post(name, values) {
    return parsePlain(await Server.answer(await fetch(`do/${name}?${Address.query(values)}`, { method: 'POST' })))
  },

  async answer(response) {
    const text = await response.text()
    if (!response.ok) throw new AnswerError(text.trim())
    return text
  },
}

function linkTo(address, ...children) {
  const link = make('a', '', ...children)
  link.href = address
  return link
}

// A link between others: "Types · Dominator tree".
function linkRow(links) {
  return make('p', 'links', ...links.map(([text, address]) => linkTo(address, text)))
}

// Which part of a list is shown, and links to the others. `address(from)`: of the part that begins
// there.
function pager({ from, shown, count, rows }, address) {
  if (count <= shown && from === 0) return null
  const text = shown === 0 ? `none of ${Format.count(count)}`
    : `${Format.count(from + 1)} to ${Format.count(from + shown)} of ${Format.count(count)}`
  const to = (title, start, isThere) => {
    const link = isThere ? linkTo(address(start), title) : make('span', 'off', title)
    return link
  }
  const last = Math.max(0, Math.floor((count - 1) / rows) * rows)
  return make('nav', 'pager', make('span', '', text), to('First', 0, from > 0), to('Previous', Math.max(0, from - rows), from > 0),
    to('Next', from + rows, from + shown < count), to('Last', last, from + shown < count))
}

// A table of a part of a list, in the server's order. `page`: as for pager().
function pagedTable(caption, columns, list, page, address) {
  const table = new DataTable({ caption, columns, rows: list, first: Infinity, isWhole: page.count <= page.shown })
  const pages = pager(page, address)
  if (pages) table.element.append(pages)
  return table.element
}

// The heading of a view.
function viewHead(kicker, title, ...below) {
  return make('header', 'view-head', kicker ? make('p', 'kicker', kicker) : null, title ? make('h1', '', nameText(title)) : null, ...below)
}

// [[label, value], ...]; values are texts or nodes.
function factList(facts) {
  const list = make('dl', 'facts')
  for (const [name, value] of facts) list.append(make('div', '', make('dt', '', name), make('dd', '', value)))
  return list
}
