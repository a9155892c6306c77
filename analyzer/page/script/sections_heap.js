// The heap: what accumulates, what holds it, what it consists of.
Sections.push({
  id: 'heap', title: 'Heap', command: 'leaks', drawing: 'treemap',
  has: ({ heap }) => heap !== null,
  lead: ({ heap, leaks }) => `${Format.count(heap.reachable.objects)} objects, ${Format.bytes(heap.reachable.bytes)} alive; ${
    leaks.suspects.length === 0 ? 'no leak suspects' : leaks.suspects.length === 1 ? 'one leak suspect'
      : `${leaks.suspects.length} leak suspects`}.`,
  build(host, { now: { leaks }, table }) {
    leaks.suspects.slice(0, 12).forEach((suspect, i) => {
      const source = suspect.allocated_at
      const card = findingCard({
        severity: suspect.confidence === 'high' ? 'critical' : suspect.confidence === 'medium' ? 'warning' : 'note',
        label: `${suspect.confidence} confidence`,
        title: `${capital(suspect.kind)}: ${Format.count(suspect.count)} ${suspect.type}`,
        sentences: [`${Format.bytes(suspect.retained_bytes)}, ${Format.percent(suspect.share)} of the heap.`],
        advice: suspect.advice,
        body: [
          chainList(suspect.path),
          make('ul', '', ...suspect.evidence.map((sentence) => make('li', '', sentence))),
          source ? make('details', '', make('summary', '', `Allocated here (${Format.count(source.samples)} of ${
            Format.count(source.of)} samples)`), stackList(source.path)) : null,
        ].filter((node) => node),
      })
      card.id = `leak-${i + 1}`
      host.append(card)
    })
    table(host, {
      list: 'heap/types', caption: 'Types', key: (row) => row.type,
      columns: [
        { field: 'type', kind: 'name' },
        { field: 'retained_bytes', compare: 'state' },
        { field: 'bytes', title: 'itself' },
        { field: 'objects', compare: 'state' },
        { field: 'unreachable_bytes', title: 'garbage' },
      ],
    })
    table(host, {
      list: 'leaks/cleared', caption: 'Large, but not suspicious', alone: true, detail: (row) => [chainList(row.path)],
      columns: [
        { field: 'type', kind: 'name' },
        { field: 'retained_bytes' },
        { field: 'share', title: 'of the heap' },
        { field: 'count', title: 'objects' },
        { field: 'reason' },
      ],
    })
  },
})
