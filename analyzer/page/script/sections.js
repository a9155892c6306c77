// Sections: {id, title, command, has(answers), lead(answers), build(host, context), drawing,
// isGone(now, before)}.
//
// The context: {now, before: answers, before is null for a single recording, seconds,
// beforeSeconds, label, table(host, options)}. `isGone`: the earlier recording has what this
// section is about, but the later one does not.
const Sections = []

// What an ASP.NET Core server served, and what it requested from others.
Sections.push({
  id: 'requests', title: 'Requests', command: 'requests',
  has: ({ requests }) => requests !== null,
  lead: ({ requests }) => `${Format.count(requests.finished)} requests served${
    requests.finished > 0 ? `, ${Format.duration(requests.total_ns / requests.finished)} on average` : ''}; ${
    Format.count(requests.failed)} failed with an exception${
    requests.server_errors > 0 ? `, ${Format.count(requests.server_errors)} were answered with 500 or above` : ''}.`,
  build(host, { now: { requests }, before, seconds, beforeSeconds, table }) {
    const was = before?.requests
    const rate = (all, length) => Cells.text(all.finished / Math.max(length, 1e-9), 'count', true)
    const mean = (all) => (all.finished > 0 ? Format.duration(all.total_ns / all.finished) : '–')
    const earlier = (text) => (was ? `earlier ${text(was)}` : null)
    const shares = (field) => {
      const share = (all) => (all[field] === undefined ? '–' : Format.percent(all[field] / Math.max(all.finished, 1)))
      return [share(requests), earlier(share)].filter((text) => text).join(', ')
    }
    host.append(figureRow([
      ['served', Format.count(requests.finished), earlier((all) => Format.count(all.finished))],
      ['per second', rate(requests, seconds), earlier((all) => rate(all, beforeSeconds))],
      ['mean duration', mean(requests), earlier(mean)],
      ['failed', Format.count(requests.failed), shares('failed')],
      ...(requests.server_errors === undefined ? [] : [
        ['answered with 500 or above', Format.count(requests.server_errors), shares('server_errors')],
      ]),
      ['in progress at the end', Format.count(requests.in_flight), earlier((all) => Format.count(all.in_flight))],
    ]))
    table(host, {
      list: 'requests/busiest', caption: 'When most requests were in progress', alone: true,
      columns: [
        { title: 'at', kind: 'at', value: (row) => row.at_ns },
        { title: 'for', kind: 'ns', value: (row) => row.length_ns },
        { title: 'in progress', kind: 'decimal', value: (row) => row.total_ns / Math.max(row.length_ns, 1) },
        { title: 'served', kind: 'count', value: (row) => row.finished },
        { title: 'each', kind: 'ns', value: (row) => (row.finished > 0 ? row.total_ns / row.finished : null) },
        { title: 'failed', kind: 'count', value: (row) => row.failed },
      ],
    })
    // A recording without routes does not show what is new.
    const isCompared = was !== undefined && was !== null && was.served.length + was.made.length > 0
    const byTarget = (list, caption, target, otherwise) => table(host, {
      list, caption, alone: !isCompared, key: (row) => `${row.method} ${row.target}`,
      detail: (row) => [make('ul', '', ...row.endings.map((ending) => make('li', '', endingText(ending))))],
      columns: [
        { title: target, kind: 'name', value: (row) => `${row.method} ${row.target ?? otherwise}` },
        // The time that a request takes is what changes; how many there are is the load.
        ...(isCompared ? [
          { field: 'mean_ns', compare: 'state' },
          { field: 'failed', kind: 'share', value: (row) => row.failed / Math.max(row.count, 1), compare: 'state' },
          { field: 'count', compare: 'sum' },
          { field: 'p95_ns', compare: 'state' },
          { field: 'p99_ns', compare: 'state' },
        ] : [
          { field: 'count' },
          { field: 'failed' },
          { field: 'refused' },
          { field: 'total_ns', title: 'total time' },
          { field: 'mean_ns' },
          { field: 'p50_ns' },
          { field: 'p95_ns' },
          { field: 'p99_ns' },
          { field: 'slowest_at_ns', title: 'slowest second' },
        ]),
      ],
    })
    byTarget('requests/served', 'Served, by route', 'route', 'no route')
    byTarget('requests/made', 'Made with HttpClient, by server', 'server', 'unknown')
    if (requests.details) singleRequests(table, host)
  },
})

// What individual requests did; for a single recording only.
function singleRequests(table, host) {
  const route = (row) => row.route ?? 'no route'
  const part = (key) => ({ times }) => (times[key] === null ? null : times[key] / Math.max(times.total_ns, 1))
  table(host, {
    list: 'requests/details/routes', caption: 'What the time of requests consisted of, by route', alone: true,
    columns: [
      { title: 'route', kind: 'name', value: route },
      { field: 'count' },
      { field: 'failed', title: '5xx' },
      { field: 'refused', title: '4xx' },
      { field: 'mean_ns' },
      { field: 'p95_ns' },
      { field: 'times/total_ns', title: 'total time' },
      { field: 'times/database_ns', kind: 'share', value: part('database_ns') },
      { field: 'times/calls_ns', kind: 'share', value: part('calls_ns') },
      { field: 'times/cpu_ns', title: 'CPU', kind: 'share', value: part('cpu_ns') },
      { field: 'times/lock_ns', title: 'locks', kind: 'share', value: part('lock_ns') },
      { field: 'times/pause_ns', title: 'GC', kind: 'share', value: part('pause_ns') },
      { field: 'times/unknown_ns', kind: 'share', value: part('unknown_ns') },
    ],
  })
  const parts = (list, caption, what) => table(host, {
    list, caption, alone: true,
    detail: (row) => (row.text === null ? [] : [make('p', '', row.text)]),
    columns: [
      { field: 'what', title: what, kind: 'name', value: (row) => row.what ?? 'unknown' },
      { title: 'route', kind: 'text', value: (row) => (row.in_request ? route(row) : 'in no request') },
      { field: 'place', title: 'in', value: (row) => row.place ?? '' },
      { field: 'count' },
      { field: 'per_request', title: 'a request', value: (row) => (row.in_request ? row.per_request : null) },
      { field: 'most_per_request', title: 'at most', value: (row) => (row.in_request ? row.most_per_request : null) },
      { field: 'mean_ns' },
      { field: 'total_ns', title: 'total time' },
    ],
  })
  parts('requests/details/commands', 'Database commands', 'command')
  parts('requests/details/calls', 'Calls with HttpClient', 'server')
  table(host, {
    list: 'requests/details/slowest', caption: 'The slowest requests', alone: true,
    columns: [
      { title: 'route', kind: 'name', value: route },
      { field: 'duration_ns' },
      { field: 'at_ns' },
      { field: 'commands' },
      { field: 'database_ns', title: 'in these' },
      { field: 'calls' },
      { field: 'calls_ns', title: 'in these' },
      { title: 'status', kind: 'text', value: (row) => (row.status === null ? '' : `${row.status}`) },
    ],
  })
}

// "12 with 500, System.InvalidOperationException"
function endingText({ count, status, error }) {
  const how = [status, error].filter((part) => part !== null).join(', ')
  return how ? `${Format.count(count)} with ${how}` : `${Format.count(count)} without an answer`
}
