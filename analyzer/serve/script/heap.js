// A heap snapshot: its types, the objects of one, and the dominator tree.
const HeapPages = {
  rows: 50,

  values({ recording, snapshot }) { return { recording, snapshot } },

  objectAddress(at, object) { return Address.of('object', { ...HeapPages.values(at), address: object.address }) },
  typeAddress(at, type) { return Address.of('type', { ...HeapPages.values(at), type }) },

  // 0x7f… of the object to which the link leads.
  objectColumn(at, title = 'address', object = (row) => row) {
    return { title, kind: 'address', value: (row) => object(row)?.address ?? null,
      link: (row) => (object(row) ? HeapPages.objectAddress(at, object(row)) : null) }
  },
  typeColumn(at, object = (row) => row) {
    return { title: 'type', kind: 'name', value: (row) => object(row)?.type ?? 'null',
      link: (row) => (object(row) ? HeapPages.objectAddress(at, object(row)) : null) }
  },
  retainedColumn(object = (row) => row) {
    return { title: 'retained', kind: 'bytes', value: (row) => object(row)?.retained_bytes ?? null,
      show: (row) => (object(row)?.retained_bytes === 0 ? 'garbage' : Cells.text(object(row)?.retained_bytes ?? null, 'bytes')) }
  },

  async show(host, at, context) {
    const answer = await HeapPages.types(host, at, context)
    if (!answer) return
    const { heap, types, reachable, unreachable, snapshots } = answer
    host.append(viewHead('Heap snapshot', heap.application || at.recording, factList([
      ['snapshot', HeapPages.snapshots(at, heap, snapshots)],
      ['taken', Recordings.time(heap.unix_ns)],
      ['alive', `${Format.count(reachable.objects)} objects, ${Format.bytes(reachable.bytes)}`],
      ['garbage', `${Format.count(unreachable.objects)} objects, ${Format.bytes(unreachable.bytes)}`],
    ]), ...heap.notes.map((note) => make('p', 'note', prose(note)))))
    const columns = [
      { title: 'type', kind: 'name', value: (row) => row.type, link: (row) => HeapPages.typeAddress(at, row.type) },
      { title: 'retained', kind: 'bytes', value: (row) => row.retained_bytes },
      { title: 'shallow', kind: 'bytes', value: (row) => row.bytes },
      { title: 'objects', kind: 'count', value: (row) => row.objects },
      { title: 'garbage', kind: 'bytes', value: (row) => row.unreachable_bytes },
    ]
    const table = new DataTable({ caption: 'Types', columns, rows: types, first: 50, sort: Number(at.sort ?? 1),
      ascending: at.order === 'up', query: at.search ?? '',
      onChange: ({ sortBy, ascending, query }) => Explorer.remember({ sort: sortBy === 1 ? null : sortBy,
        order: ascending ? 'up' : null, search: query }) })
    table.element.dataset.list = 'types'
    host.append(table.element)
  },

  // For a large heap, it takes a while to compute what holds what: until then, types are shown
  // without retained sizes. null: the result is no longer needed.
  async types(host, at, { signal, gone, put }) {
    const ask = () => Server.ask('types', HeapPages.values(at), signal)
    let answer = await ask()
    if (!answer.is_preliminary) return answer
    const { heap, types } = answer
    const notice = make('p', 'note so-far')
    const columns = [
      { title: 'type', kind: 'name', value: (row) => row.type },
      { title: 'shallow', kind: 'bytes', value: (row) => row.bytes },
      { title: 'objects', kind: 'count', value: (row) => row.objects },
    ]
    const table = new DataTable({ caption: 'Types', columns, rows: types, first: 50, sort: 1 })
    host.append(viewHead('Heap snapshot', heap.application || at.recording, factList([['snapshot', String(heap.snapshot)],
      ['taken', Recordings.time(heap.unix_ns)]]), notice), table.element)
    for (; answer.is_preliminary; answer = await ask()) {
      notice.textContent = `Retained sizes are being computed: ${answer.percent} % of the references are analyzed. These objects include garbage.`
      put()
      await new Promise((done) => setTimeout(done, 250))
      if (gone()) return null
    }
    host.replaceChildren()
    return answer
  },

  // The others are links.
  snapshots(at, heap, all) {
    if (all.length < 2) return String(heap.snapshot)
    const list = make('span', 'choices')
    for (const { snapshot } of all) {
      list.append(snapshot === heap.snapshot ? make('strong', '', String(snapshot))
        : linkTo(Address.of('heap', { recording: at.recording, snapshot }), String(snapshot)))
    }
    return list
  },

  async showType(host, at, { signal }) {
    const from = Number(at.from ?? 0)
    const answer = await Server.ask('instances', { ...HeapPages.values(at), type: at.type, from, rows: HeapPages.rows }, signal)
    host.append(viewHead('Objects of a type', answer.type, make('p', 'lead',
      `${Format.count(answer.count)} ${answer.count === 1 ? 'object' : 'objects'}, the largest retained size first.`)))
    const columns = [
      HeapPages.objectColumn(at),
      HeapPages.retainedColumn(),
      { title: 'shallow', kind: 'bytes', value: (row) => row.bytes },
      { title: 'length', kind: 'count', value: (row) => row.length },
      { title: 'generation', kind: 'text', value: (row) => row.generation },
    ].filter((column) => column.title !== 'length' || answer.objects.some((row) => row.length !== null))
    const table = pagedTable('Objects', columns, answer.objects,
      { from: answer.from, shown: answer.objects.length, count: answer.count, rows: HeapPages.rows },
      (start) => Address.of('type', { ...HeapPages.values(at), type: at.type, from: start || null }))
    table.dataset.list = 'instances'
    host.append(table)
  },

  dominatedTable(at, answer, address, caption) {
    const of = answer.reachable_bytes || 1
    const columns = [
      HeapPages.typeColumn(at),
      { title: 'held by', kind: 'text', value: (row) => row.held_by },
      HeapPages.retainedColumn(),
      { title: 'of the heap', kind: 'share', value: (row) => row.retained_bytes / of },
      { title: 'shallow', kind: 'bytes', value: (row) => row.bytes },
      { title: 'dominates', kind: 'count', value: (row) => row.dominated,
        link: (row) => (row.dominated > 0 ? Address.of('dominators', { ...HeapPages.values(at), address: row.address }) : null) },
    ]
    const table = pagedTable(caption, columns, answer.objects,
      { from: answer.from, shown: answer.objects.length, count: answer.count, rows: HeapPages.rows }, address)
    table.dataset.list = 'dominated'
    return table
  },

  async showDominators(host, at, { signal }) {
    const from = Number(at.from ?? 0)
    const answer = await Server.ask('dominated', { ...HeapPages.values(at), address: at.address, from, rows: HeapPages.rows }, signal)
    const above = answer.above
    host.append(viewHead('Dominator tree', above ? above.type : 'From the roots', make('p', 'lead', above
      ? `What would be free without this object: ${Format.bytes(above.retained_bytes)} with itself.`
      : 'What no single object holds. An object’s retained size is what would be free without it.'),
    above ? linkRow([['The object', HeapPages.objectAddress(at, above)],
      ['From the roots', Address.of('dominators', HeapPages.values(at))]]) : null))
    host.append(HeapPages.dominatedTable(at, answer, (start) =>
      Address.of('dominators', { ...HeapPages.values(at), address: at.address, from: start || null }),
    above ? 'Immediately dominated' : 'At the top'))
  },
}
