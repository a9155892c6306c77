// One object: its fields, what refers to it, its dominators, and the path from a root.
const ObjectPage = {
  async show(host, at, { signal }) {
    const rows = HeapPages.rows
    const values = { ...HeapPages.values(at), address: at.address }
    const [{ object }, dominated] = await Promise.all([
      Server.ask('object', { ...values, rows, references_from: at.references ?? null, referrers_from: at.referrers ?? null }, signal),
      Server.ask('dominated', { ...values, rows: 5 }, signal)])
    host.append(ObjectPage.head(at, object))
    if (object.reachable) host.append(ObjectPage.path(at, object))
    if (object.values.length > 0) host.append(ObjectPage.values(object.values))
    const address = (changed) => Address.of('object', { ...values, references: at.references, referrers: at.referrers, ...changed })
    host.append(ObjectPage.references(at, object, address), ObjectPage.referrers(at, object, address))
    if (dominated.count > 0) {
      host.append(HeapPages.dominatedTable(at, dominated,
        (start) => Address.of('dominators', { ...values, from: start || null }), 'Immediately dominated'))
    }
    if (object.dominators.length > 0) host.append(ObjectPage.dominators(at, object))
  },

  head(at, object) {
    const size = object.length === null ? Format.bytes(object.bytes)
      : `${Format.bytes(object.bytes)}, length ${Format.count(object.length)}`
    return viewHead('Object', object.type, factList([
      ['address', make('code', '', object.address)],
      ['retained', object.reachable ? Format.bytes(object.retained_bytes) : 'garbage: unreachable'],
      ['shallow', size],
      ['generation', object.generation],
      ...(object.roots.length > 0 ? [['root', [...new Set(object.roots)].join(', ')]] : []),
    ]), linkRow([['All of this type', HeapPages.typeAddress(at, object.type)],
      ['Its dominator tree', Address.of('dominators', { ...HeapPages.values(at), address: object.address })]]),
    commandLine(commandFor(`object ${object.address}`, at.recording)))
  },

  // First as commands print it; then, on request, each object on the path.
  path(at, object) {
    const button = make('button', 'more', 'Show its objects')
    button.type = 'button'
    const place = make('div', 'root-path', make('h3', '', 'Path from a root'), chainList(object.path), button)
    button.addEventListener('click', async () => {
      button.disabled = true
      try {
        const { steps } = await Server.ask('path', { ...HeapPages.values(at), address: object.address })
        place.replaceChildren(place.firstChild, make('ol', 'chain steps', ...steps.map((step) => make('li', '',
          nameText(`${step.from}${step.field.startsWith('static') || !step.field ? ' ' : ''}${step.field}`.trim()), ' ',
          linkTo(HeapPages.objectAddress(at, step.to), nameText(step.to.type)),
          make('span', 'below', `${step.to.address}, retains ${Format.bytes(step.to.retained_bytes)}`)))))
        place.querySelector('a')?.focus()
      } catch (error) {
        place.append(make('p', 'note', error.message))
      }
    })
    return place
  },

  values(values) {
    const table = new DataTable({ caption: 'Recorded values', rows: values, first: 50, columns: [
      { title: 'field', kind: 'name', value: (row) => row.field },
      { title: 'value', kind: 'text', value: (row) => row.value },
    ] })
    return table.element
  },

  references(at, object, address) {
    const target = (row) => row.target
    const table = pagedTable('References', [
      { title: 'field', kind: 'text', value: (row) => row.slot },
      HeapPages.typeColumn(at, target), HeapPages.objectColumn(at, 'address', target), HeapPages.retainedColumn(target),
    ], object.references, { from: Number(at.references ?? 0), shown: object.references.length, count: object.reference_count, rows: HeapPages.rows },
    (start) => address({ references: start || null }))
    table.dataset.list = 'references'
    return table
  },

  referrers(at, object, address) {
    const holder = (row) => row.holder
    const table = pagedTable('Referenced by', [
      HeapPages.typeColumn(at, holder), { title: 'field', kind: 'text', value: (row) => row.slot },
      HeapPages.objectColumn(at, 'address', holder), HeapPages.retainedColumn(holder),
    ], object.referrers, { from: Number(at.referrers ?? 0), shown: object.referrers.length, count: object.referrer_count, rows: HeapPages.rows },
    (start) => address({ referrers: start || null }))
    table.dataset.list = 'referrers'
    return table
  },

  dominators(at, object) {
    const table = new DataTable({ caption: 'Dominated by, the nearest first', rows: object.dominators, first: 10,
      leftOut: object.dominator_count - object.dominators.length, columns: [
        HeapPages.typeColumn(at), HeapPages.objectColumn(at), HeapPages.retainedColumn()] })
    table.element.dataset.list = 'dominators'
    return table.element
  },
}
