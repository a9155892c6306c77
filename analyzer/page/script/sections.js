// Sections: {id, title, command, has(answers), lead(answers), build(host, context), drawing, isGone(now, before)}.
//
// The context: {now, before: answers, before null of one recording, seconds, beforeSeconds, label, table(host, options)}.
// `isGone`: the earlier recording has what this section is about, and the later one has not.
const Sections = []

// What an ASP.NET Core server served, and what was asked of others.
Sections.push({
  id: 'requests', title: 'Requests', command: 'requests',
  has: ({ requests }) => requests !== null,
  lead: ({ requests }) => `${Format.count(requests.finished)} requests served${
    requests.finished > 0 ? `, ${Format.duration(requests.total_ns / requests.finished)} on average` : ''}; ${
    Format.count(requests.failed)} failed with an exception.`,
  build(host, { now: { requests }, before, seconds, beforeSeconds, table }) {
    const was = before?.requests
    const rate = (all, length) => Cells.text(all.finished / Math.max(length, 1e-9), 'count', true)
    const mean = (all) => (all.finished > 0 ? Format.duration(all.total_ns / all.finished) : '–')
    const share = (all) => Format.percent(all.failed / Math.max(all.finished, 1))
    const earlier = (text) => (was ? `earlier ${text(was)}` : null)
    host.append(figureRow([
      ['served', Format.count(requests.finished), earlier((all) => Format.count(all.finished))],
      ['per second', rate(requests, seconds), earlier((all) => rate(all, beforeSeconds))],
      ['mean duration', mean(requests), earlier(mean)],
      ['failed', Format.count(requests.failed), [share(requests), earlier(share)].filter((text) => text).join(', ')],
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
        // What a request takes is what changes; how many there are is the load.
        ...(isCompared ? [
          { title: 'mean', kind: 'ns', value: (row) => row.mean_ns, compare: 'state' },
          { title: 'failed', kind: 'share', value: (row) => row.failed / Math.max(row.count, 1), compare: 'state' },
          { title: 'requests', kind: 'count', value: (row) => row.count, compare: 'sum' },
          { title: 'p95', kind: 'ns', value: (row) => row.p95_ns, compare: 'state' },
          { title: 'p99', kind: 'ns', value: (row) => row.p99_ns, compare: 'state' },
        ] : [
          { title: 'requests', kind: 'count', value: (row) => row.count },
          { title: 'failed', kind: 'count', value: (row) => row.failed },
          { title: 'total time', kind: 'ns', value: (row) => row.total_ns },
          { title: 'mean', kind: 'ns', value: (row) => row.mean_ns },
          { title: 'p50', kind: 'ns', value: (row) => row.p50_ns },
          { title: 'p95', kind: 'ns', value: (row) => row.p95_ns },
          { title: 'p99', kind: 'ns', value: (row) => row.p99_ns },
          { title: 'slowest second', kind: 'at', value: (row) => row.slowest_at_ns },
        ]),
      ],
    })
    byTarget('requests/served', 'Served, by route', 'route', 'no route')
    byTarget('requests/made', 'Made with HttpClient, by server', 'server', 'unknown')
  },
})

// "12 with 500, System.InvalidOperationException"
function endingText({ count, status, error }) {
  const how = [status, error].filter((part) => part !== null).join(', ')
  return how ? `${Format.count(count)} with ${how}` : `${Format.count(count)} without an answer`
}
