// Addresses of views: the query says what is shown, so that links, reloads and the back button show
// it again.
const Address = {
  // Without empty values.
  query(values) {
    const query = new URLSearchParams()
    for (const [name, value] of Object.entries(values)) {
      if (value !== null && value !== undefined && value !== '') query.set(name, value)
    }
    return query.toString()
  },

  // The address of a view of the explorer; without a view: the list of recordings.
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
