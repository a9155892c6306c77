// Where CPU time goes, what is allocated, what is thrown, and when all stood still.

// Details of a method's row: the sentence, and a link to its callers and callees. `FlameTabs` only
// exists in the report.
function methodDetail(signal, method, sentence) {
  const parts = [make('p', '', sentence)]
  if (typeof FlameTabs === 'undefined' || !FlameTabs.hasFunction(signal, method)) return parts
  const link = make('a', 'to-flames', 'Callers and callees in the flame graph')
  link.href = '#flames'
  link.addEventListener('click', () => FlameTabs.showFunction(signal, method))
  return [...parts, make('p', '', link)]
}

// Details of a thread's row: [[amount, name], ...], largest first.
function mostOf(rows) {
  return [make('ol', 'most', ...rows.map(([amount, name]) => make('li', '', make('span', 'amount', amount), nameText(name))))]
}

const cpuDetail = (row) => methodDetail('cpu', row.method, `${Format.duration(row.self_ns)} in the method itself, ${
  Format.duration(row.total_ns)} with what it calls; ${Format.count(row.total_samples)} samples.`)
const allocationDetail = (row) => methodDetail('allocations', row.method, `${Format.bytes(row.self_bytes)} allocated by the method itself, ${
  Format.bytes(row.total_bytes)} with what it calls; ${Format.count(row.total_samples)} samples.`)

Sections.push({
  id: 'cpu', title: 'CPU time', command: 'cpu',
  has: ({ cpu }) => cpu !== null && cpu.samples > 0,
  lead: ({ cpu }) => `${Format.duration(cpu.cpu_ns)} of CPU time, ${cpu.cores.toFixed(2)} cores on average. ${
    Format.count(cpu.samples)} samples, one for each ${Format.duration(cpu.period_ns)} of a thread’s CPU time; a thread that waits has none.`,
  build(host, { table }) {
    const error = (value) => (value > 0 ? `±${Format.percent(value).replace(' %', '')}` : null)
    table(host, {
      list: 'cpu/your_methods', caption: 'Your code', detail: cpuDetail, key: (row) => row.method,
      columns: [
        { field: 'method', kind: 'name' },
        { field: 'total_ns', compare: 'sum' },
        { field: 'total_share', title: 'share', error: (row) => error(row.total_error) },
        { field: 'self_share', title: 'self, with framework calls', error: (row) => error(row.self_error) },
        { field: 'total_samples', title: 'samples' },
      ],
    })
    table(host, {
      list: 'cpu/methods', caption: 'Methods', detail: cpuDetail, key: (row) => row.method + row.line,
      columns: [
        { field: 'method', kind: 'name', below: (row) => row.line },
        { field: 'self_ns', compare: 'sum' },
        { field: 'self_share', title: 'share', error: (row) => error(row.self_error) },
        { field: 'total_share', title: 'total', error: (row) => error(row.total_error) },
        { field: 'self_samples', title: 'samples' },
      ],
    })
    table(host, {
      list: 'cpu/threads', caption: 'Threads', detail: (row) => mostOf(row.hottest.map((one) => [Format.duration(one.self_ns), one.method])), alone: 'often', key: (row) => threadName(row.thread),
      columns: [
        { title: 'thread', kind: 'name', value: (row) => threadName(row.thread) },
        { field: 'cpu_ns', title: 'CPU time', compare: 'sum' },
        { field: 'share' },
        { field: 'cores' },
        { title: 'hottest', kind: 'text', value: (row) => row.hottest[0]?.method ?? null },
      ],
    })
  },
})

Sections.push({
  id: 'allocations', title: 'Allocations', command: 'allocations',
  has: ({ allocations }) => allocations !== null && allocations.samples > 0,
  lead: ({ allocations: all }) => `${Format.bytes(all.bytes)} allocated, ${Format.bytes(all.bytes_per_second)} a second, about ${
    Format.count(all.objects)} objects. Estimated from ${Format.count(all.samples)} samples.`,
  build(host, { table }) {
    table(host, {
      list: 'allocations/types', caption: 'Types', key: (row) => row.type,
      columns: [
        { field: 'type', kind: 'name', below: (row) => row.site && `mostly in ${row.site}` },
        { field: 'bytes', compare: 'sum',
          error: (row) => (row.bytes_error > 0 ? `±${Format.bytes(row.bytes_error)}` : null) },
        { field: 'share' },
        { field: 'objects', kind: 'count' },
        { field: 'samples' },
      ],
    })
    table(host, {
      list: 'allocations/methods', caption: 'Allocating methods', detail: allocationDetail, key: (row) => row.method + row.line,
      columns: [
        { field: 'method', kind: 'name', below: (row) => row.line },
        { field: 'self_bytes', title: 'itself', compare: 'sum' },
        { field: 'self_share', title: 'share' },
        { field: 'total_share', title: 'total' },
      ],
    })
    table(host, {
      list: 'allocations/threads', caption: 'Allocating threads', alone: 'often', key: (row) => threadName(row.thread),
      columns: [
        { title: 'thread', kind: 'name', value: (row) => threadName(row.thread) },
        { field: 'bytes', compare: 'sum' },
        { field: 'objects', kind: 'count' },
        { field: 'type' },
      ],
    })
  },
})

const Outcomes = {
  unhandled: 'unhandled', probably_unhandled: 'probably unhandled', in_flight: 'in flight at the end',
  ended_requests: 'ended a request', ended_by_client: 'caused by a client', swallowed: 'swallowed', never_awaited: 'never awaited', swallowed_or_never_awaited: 'swallowed or never awaited',
  wrapped: 'the cause of another', replaced: 'replaced in a finally block', lost_in_filter: 'lost in a filter',
  caught_native: 'caught by native code',
  caught: 'caught, and only counted',

  text(outcomes) {
    return Object.entries(outcomes).filter(([, count]) => count > 0).sort(([, a], [, b]) => b - a)
      .map(([name, count]) => `${Format.count(count)} ${Outcomes[name] ?? name}`).join(', ')
  },
}

// Where to look.
function throwerOf(group) {
  return (group.place?.site ?? group.path[0])?.name ?? '(not recorded)'
}

function exceptionDetail(group) {
  const parts = [make('p', '', `${Outcomes.text(group.outcomes)}.`)]
  if (group.unhandled_evidence) {
    parts.push(make('p', 'evidence', `Unhandled (confidence ${group.unhandled_evidence.confidence}): ${group.unhandled_evidence.text}.`))
  }
  for (const message of group.messages) {
    parts.push(make('p', 'message', `“${message.text}”`, make('span', 'below', `${Format.count(message.count)} ×`)))
  }
  const hops = group.routes[0]?.hops ?? []
  if (hops.length > 1) {
    parts.push(make('h4', '', 'Hops'), make('ol', 'hops', ...hops.map((hop) => make('li', '',
      `${{ throw: 'thrown', rethrow: 'rethrown', restored: 'rethrown (await or similar)', again: 'rethrown (throw ex;)' }[hop.hop]} in `,
      nameText(hop.thrown_in.name), hop.caught_in ? `, caught in ` : `, ${hop.outcome.replaceAll('_', ' ')}`,
      hop.caught_in ? nameText(hop.caught_in.name) : null))))
  }
  if (group.path.length > 0) {
    const catcher = group.catcher?.name
    parts.push(make('h4', '', 'Stack, innermost first'),
      stackList(group.path.map((method) => method.name), (i) => (group.path[i].name === catcher ? 'caught' : '')))
  }
  const related = [['causes', 'Its cause'], ['wrapped_by', 'Wrapped by'], ['replaced_by', 'Replaced by'],
    ['thrown_during', 'Thrown during']]
  for (const [key, title] of related) {
    for (const other of group[key] ?? []) {
      parts.push(make('p', '', `${title}: `, nameText(other.type.name), `, ${Format.count(other.count)} ×`))
    }
  }
  if (group.threads.length > 0) {
    parts.push(make('p', 'below', `Threads: ${group.threads.map(({ thread, count }) =>
      `${threadName(thread)} ${Format.count(count)} ×`).join(', ')}`))
  }
  return parts
}

Sections.push({
  id: 'exceptions', title: 'Exceptions', command: 'exceptions',
  has: ({ exceptions }) => exceptions !== null && exceptions.exceptions > 0,
  lead: ({ exceptions: all }) => `${Format.count(all.exceptions)} exceptions in ${Format.count(all.throws)} throws; ${
    Format.duration(all.total_ns)} from throw to catch in all. ${Outcomes.text(all.outcomes)}.`,
  build(host, { table }) {
    table(host, {
      list: 'exceptions/groups', caption: 'By type and place', detail: exceptionDetail,
      key: (row) => `${row.type.name}\n${throwerOf(row)}\n${row.is_rest}${row.path_is_later_throw}`,
      columns: [
        { title: 'type', kind: 'name', value: (row) => (row.is_rest ? '(all others)' : row.type.name),
          below: (row) => (row.is_rest ? null : `in ${throwerOf(row)}`) },
        { field: 'count', title: 'exceptions', compare: 'sum' },
        { field: 'throws/total', title: 'throws' },
        { field: 'total_ns', title: 'total time' },
        { field: 'p99_ns' },
        { title: 'outcome', kind: 'text', value: (row) => Outcomes.text(row.outcomes) },
      ],
    })
  },
})

const PauseKinds = {
  gen0: 'gen0', gen1: 'gen1', gen2_blocking: 'gen2, blocking', gen2_background: 'gen2, background',
  unknown_collection: 'a collection', upkeep: 'runtime maintenance', code_change: 'a code change',
  thread_snapshot: 'a thread snapshot', debugger: 'a debugger', shutdown: 'shutdown',
}

Sections.push({
  id: 'pauses', title: 'Pauses and collections', command: 'gc',
  has: ({ gc }) => gc !== null && (gc.pauses.count > 0 || gc.collections.count > 0),
  lead: ({ gc }) => gc.verdict,
  build(host, { now: { gc }, table }) {
    host.append(figureRow([
      ['paused', Format.percent(gc.pauses.share_of_time), Format.duration(gc.pauses.total_ns)],
      ['pauses', Format.count(gc.pauses.count), `p99 ${Format.duration(gc.pauses.p99_ns)}`],
      ['longest', Format.duration(gc.pauses.max_ns)],
      ['collections', Format.count(gc.collections.count), gc.collections.by_generation.map((n, i) => `gen${i} ${Format.count(n)}`).join(', ')],
      ...(gc.heap ? [['largest heap', Format.bytes(gc.heap.peak_bytes), `at the end ${Format.bytes(gc.heap.last_bytes)}`]] : []),
    ]))
    for (const finding of gc.findings) {
      host.append(findingCard({ severity: { bad: 'critical' }[finding.severity] ?? finding.severity,
        label: finding.severity, title: finding.title, sentences: [finding.evidence], advice: finding.next }))
    }
    table(host, {
      list: 'gc/pauses/by_kind', caption: 'Pauses by cause', key: (row) => row.kind,
      columns: [
        { field: 'kind', title: 'for', kind: 'name', value: (row) => PauseKinds[row.kind] ?? row.kind },
        { field: 'count', title: 'count' },
        { field: 'total_ns', title: 'time', compare: 'sum' },
        { field: 'share_of_time', title: 'of the time', kind: 'share' },
        { field: 'p50_ns', title: 'median' },
        { field: 'p99_ns' },
        { field: 'max_ns', title: 'longest' },
      ],
    })
    table(host, {
      list: 'gc/collections/by_reason', caption: 'Collections by reason', key: (row) => `${row.generation}${row.background}${row.why}`,
      columns: [
        { field: 'why', title: 'why', kind: 'name' },
        { title: 'generation', kind: 'text', value: (row) => `gen${row.generation}${row.background ? ', background' : ''}` },
        { field: 'count', compare: 'sum' },
        { field: 'pause_ns' },
        { field: 'worst_pause_ns', title: 'longest' },
        { field: 'promoted_bytes' },
      ],
    })
    table(host, {
      list: 'gc/heap/generations', caption: 'Generations', key: (row) => row.name,
      columns: [
        { field: 'name', title: 'generation', kind: 'name' },
        { field: 'first_bytes' },
        { field: 'last_bytes', compare: 'state' },
        { field: 'peak_bytes', title: 'most' },
        { field: 'free_bytes' },
        { field: 'promoted_bytes' },
      ],
    })
    table(host, {
      list: 'gc/pauses/worst', caption: 'Longest pauses', alone: true,
      columns: [
        { field: 'kind', title: 'for', kind: 'name', value: (row) => PauseKinds[row.kind] ?? row.kind },
        { field: 'at_ns' },
        { field: 'total_ns', title: 'length' },
        { field: 'stopping_ns', title: 'suspension' },
        { field: 'collection' },
      ],
    })
  },
})
