// The details of one call: a box next to the pointer, and a sentence for screen readers.
class FlameDetails {
  constructor() {
    const known = (id, added) => document.getElementById(id) ?? document.body.appendChild(added())
    this.tip = known('tip', () => FlameParts.element('div', { id: 'tip', role: 'tooltip', hidden: '' }))
    this.spoken = known('spoken', () => FlameParts.element('div', { id: 'spoken', 'aria-live': 'polite' }))
  }

  hide() { this.tip.hidden = true }

  say(text) { this.spoken.textContent = text }

  // `tree` with `data` and `measure`, `zoomed`: the node that fills the view, with its amount in the baseline if `byBase`;
  // x and y: in `host`.
  show({ tree, data, measure, zoomed, byBase }, node, host, x, y) {
    const { tip } = this
    tip.hidden = host.getClientRects().length === 0
    if (tip.hidden) return
    const module = tree.module(node)
    const kind = tree.frameOf(node) < 0 ? '' : data.kinds[tree.kind(node)]
    const where = module === '' ? kind : `${module}  ·  ${kind}`
    tip.replaceChildren(make('div', 'name', tree.name(node)),
      ...(where === '' ? [] : [make('div', 'where', where)]), this.#table(tree, data, measure, { zoomed, byBase }, node))
    tip.dataset.total = tree.amount(node, measure)
    tip.dataset.self = tree.selfAmount(node, measure)
    const box = host.getBoundingClientRect()
    const left = Math.min(x + 14, box.width - tip.offsetWidth - 8)
    const below = y + 22
    const fits = box.top + below + tip.offsetHeight < window.innerHeight - 8
    tip.style.left = `${box.left + Math.max(8, left)}px`
    tip.style.top = `${fits ? box.top + below : Math.max(8, box.top + y - tip.offsetHeight - 14)}px`
  }

  // Shares are of the whole recording.
  #table(tree, data, measure, { zoomed, byBase }, node) {
    const { unit } = data.measures[measure]
    const total = tree.amount(node, measure)
    const own = tree.selfAmount(node, measure)
    const share = (amount, of = measure) => Format.percent(data.totals[of] === 0 ? 0 : amount / data.totals[of])
    const rows = [['total', Format.amount(total, unit), share(total)],
      ['self', Format.amount(own, unit), share(own)]]
    data.measures.forEach((other, i) => {
      if (i === measure) return
      rows.push([other.name, Format.amount(tree.amount(node, i), other.unit), share(tree.amount(node, i), i)])
    })
    const view = tree.amount(zoomed, measure, byBase)
    if (zoomed !== 0 && view > 0) rows.push(['of the view', '', Format.percent(tree.amount(node, measure, byBase) / view)])
    if (tree.hasBase) {
      rows.push(['baseline', Format.amount(tree.amount(node, measure, true), unit), Format.percent(tree.share(node, measure, true))],
        ['change', '', Format.change(tree.change(node, measure))])
    }
    const table = make('table')
    for (const cells of rows) table.insertRow().append(...cells.map((text, i) => make(i === 0 ? 'th' : 'td', '', text)))
    return table
  }
}
