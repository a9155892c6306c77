// Addresses of views: what is shown is in the query, so that a link, a reload and the way back show it again.
const Address = {
  // Without what is empty.
  query(values) {
    const query = new URLSearchParams()
    for (const [name, value] of Object.entries(values)) {
      if (value !== null && value !== undefined && value !== '') query.set(name, value)
    }
    return query.toString()
  },

  // Of a view of the explorer; of none: the list of recordings.
  of(view, values = {}) {
    const query = Address.query(view ? { view, ...values } : values)
    return query ? `./?${query}` : './'
  },

  report(recording, earlier = null) { return `report?${Address.query({ recording, earlier })}` },

  // The views of a recording, [title, address, name], for the list at the side.
  views({ recording, snapshot = null }, has) {
    return [
      ['Recordings', Address.of(), 'recordings'],
      ['Report', Address.report(recording), 'report'],
      ...(has.events ? [['Time and threads', Address.of('events', { recording }), 'events']] : []),
      ...(has.heap ? [['Heap: types', Address.of('heap', { recording, snapshot }), 'heap'],
        ['Heap: dominators', Address.of('dominators', { recording, snapshot }), 'dominators'],
        ['Heap: changes', Address.of('changes', { recording }), 'changes']] : []),
      ['SQL', Address.of('sql', { recording, snapshot }), 'sql'],
    ]
  },
}
