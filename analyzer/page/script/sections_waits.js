// What waits for what, and how long: deadlocks, locks, wall-clock time, the pool, tasks, threads.

// "worker (1234)", "thread 1234".
function threadName(thread) {
  if (!thread) return 'unknown threads'
  return thread.name ? `${thread.name} (${thread.os_id})` : `thread ${thread.os_id}`
}

// "monitor Shop.Account 0x7f…".
function thingName(thing) {
  if (!thing) return 'unknown'
  return [thing.kind, thing.type, thing.object].filter((part) => part).join(' ')
}

function deadlockMember(member) {
  const who = member.thread ? threadName(member.thread)
    : `async method ${member.task?.type ?? ''}${member.task?.id ? ` (task ${member.task.id})` : ''}`
  const rows = make('dl', 'member')
  const add = (name, ...value) => rows.append(make('dt', '', name), make('dd', '', ...value))
  add('waits for', nameText(thingName(member.waits_for)))
  for (const held of member.holds) add('holds', nameText(thingName(held)))
  if (member.taken_at) add('taken in', nameText(member.taken_at))
  if (member.since_ns !== null && member.since_ns !== undefined) add('since', Cells.text(member.since_ns, 'at'))
  const stack = make('details', '', make('summary', '', 'Stack'), stackList(member.stack))
  return make('div', 'deadlock-member', make('h4', '', who), rows, member.stack.length > 0 ? stack : null)
}

Sections.push({
  id: 'waits', title: 'Who waits for whom', command: 'deadlocks', drawing: 'waitGraph',
  has: ({ deadlocks }) => deadlocks !== null,
  isGone: (now, before) => now.deadlocks.deadlocks.length === 0 && before.deadlocks?.deadlocks.length > 0,
  lead({ deadlocks }) {
    const count = deadlocks.deadlocks.length
    const looked = `Looked at ${Format.count(deadlocks.looked_at.threads)} threads, ${
      Format.count(deadlocks.looked_at.blocked_threads)} of them blocked.`
    return count === 0 ? `${deadlocks.headline} ${looked}` : `${count === 1 ? 'One deadlock' : `${count} deadlocks`}. ${looked}`
  },
  build(host, { now: { deadlocks } }) {
    deadlocks.deadlocks.forEach((deadlock, i) => {
      const crowd = deadlock.crowd.map(({ count, waits_for: thing, at }) =>
        make('li', '', `${Format.count(count)} wait`, at ? ' in ' : '', at ? nameText(at) : null, ' for ', nameText(thingName(thing))))
      const card = findingCard({
        severity: deadlock.confidence === 'possible' ? 'warning' : 'critical', label: deadlock.confidence,
        title: `${capital(deadlock.kind)}${deadlock.members.length > 1 ? ` of ${deadlock.members.length}` : ''}`,
        sentences: deadlock.cause ? [`Never provided: ${thingName(deadlock.cause)}.`] : [],
        body: [
          make('div', 'members', ...deadlock.members.map(deadlockMember)),
          deadlock.victims > 0 ? make('h4', '', `${Format.count(deadlock.victims)} more wait behind it`) : null,
          crowd.length > 0 ? make('ul', 'crowd', ...crowd) : null,
          deadlock.evidence.length > 0 ? make('h4', '', 'Evidence') : null,
          make('ul', '', ...deadlock.evidence.map((sentence) => make('li', '', prose(sentence)))),
        ].filter((node) => node),
      })
      card.id = `deadlock-${i + 1}`
      host.append(card)
    })
    for (const note of deadlocks.notes) host.append(make('p', 'note', prose(note)))
  },
})

const stackDetail = (row) => {
  const parts = []
  if (row.stack?.length > 0) parts.push(make('h4', '', 'Waiting stack, innermost first'), stackList(row.stack))
  if (row.owner_stack?.length > 0) {
    parts.push(make('h4', '', `Stack of the owner${row.owner ? ` (${threadName(row.owner)})` : ''}`), stackList(row.owner_stack))
  }
  return parts.length > 0 ? parts : [make('p', 'below', 'No stack was recorded.')]
}

Sections.push({
  id: 'locks', title: 'Locks and waits', command: 'locks',
  has: ({ locks }) => locks !== null && locks.waits.length + locks.locks.length + locks.open.length > 0,
  lead({ locks }) {
    const contended = locks.waits.filter((wait) => wait.kind === 'monitor' || wait.kind === 'lock')
    const sum = (key) => contended.reduce((total, wait) => total + wait[key], 0)
    return contended.length === 0 ? 'No thread waited for a lock; what else threads waited for is below.'
      : `${Format.count(sum('count'))} waits for locks, ${Format.duration(sum('total_ns'))} in total.`
  },
  build(host, { table }) {
    table(host, {
      list: 'locks/waits', caption: 'Waits by place', detail: stackDetail, key: (row) => row.kind + row.site,
      columns: [
        { field: 'site', title: 'place', kind: 'name', value: (row) => row.site ?? row.stack[0] ?? '(no stack)' },
        { field: 'kind', title: 'for' },
        { field: 'count' },
        { field: 'total_ns', title: 'total time', compare: 'sum' },
        { field: 'longest_ns' },
        { field: 'not_ended', title: 'not over' },
      ],
    })
    table(host, {
      list: 'locks/holders', caption: 'What owners were doing while others waited', key: (row) => row.site,
      detail: (row) => [stackList(row.stack)],
      columns: [
        { field: 'site', title: 'place', kind: 'name', value: (row) => row.site ?? row.stack[0] ?? '(no stack)' },
        { field: 'count', title: 'seen' },
        { field: 'total_ns', title: 'waiting time', compare: 'sum' },
        { field: 'longest_ns' },
      ],
    })
    table(host, {
      list: 'locks/locks', caption: 'Most contended locks', alone: true,
      columns: [
        { title: 'lock', kind: 'name', value: (row) => `${row.kind} ${row.site ? `waited for in ${row.site}` : row.lock}` },
        { field: 'count' },
        { field: 'total_ns', title: 'total time' },
        { field: 'longest_ns' },
        { field: 'waiters_at_most', title: 'most waiters' },
      ],
    })
    table(host, {
      list: 'locks/open', caption: 'Waits not over at the end', alone: true, detail: stackDetail,
      columns: [
        { title: 'thread', kind: 'name', value: (row) => threadName(row.thread) },
        { field: 'kind', title: 'for' },
        { title: 'owner', kind: 'text', value: (row) => (row.owner ? threadName(row.owner) : null) },
        { field: 'since_ns', kind: 'at' },
        { field: 'age_ns', title: 'duration' },
      ],
    })
  },
})

Sections.push({
  id: 'wall', title: 'Wall-clock time', command: 'wall',
  has: ({ wall }) => wall !== null,
  lead: ({ wall }) => `${Format.count(wall.threads_seen)} threads in ${Format.duration(wall.to_ns - wall.from_ns)}: ${
    Format.duration(wall.observed_ns)} of thread time, ${Format.duration(wall.observed_ns - wall.states_ns.idle)} of it not idle.`,
  build(host, { now: { wall, threads }, table }) {
    const isPlumbing = Plumbing.test(threads?.stacks)
    host.append(figureRow(Object.entries(wall.states_ns).filter(([, ns]) => ns > 0).map(([state, ns]) =>
      [LanesView.STATES[state], Format.duration(ns), Format.percent(ns / wall.observed_ns)])))
    if (wall.timeline) new LanesView(host, wall)
    table(host, {
      list: 'wall/places', caption: 'Where threads waited, other than idle', detail: stackDetail, key: (row) => row.state + row.site,
      columns: [
        { field: 'site', title: 'place', kind: 'name', below: (row) => (row.through ? `in ${row.through}` : null) },
        { field: 'state' },
        { title: 'threads', kind: 'count', value: (row) => row.threads.length },
        { field: 'total_ns', compare: 'sum' },
        { field: 'proved_ns' },
      ],
    })
    table(host, {
      list: 'wall/threads', caption: 'By thread', alone: true,
      arrange: (rows) => Plumbing.last(rows, (row) => row.states_ns.idle === row.observed_ns || isPlumbing(row.thread ?? {})),
      detail: (row) => mostOf(Object.entries(row.states_ns).filter(([, ns]) => ns > 0).sort(([, a], [, b]) => b - a)
        .map(([state, ns]) => [Format.duration(ns), LanesView.STATES[state] ?? state])),
      columns: [
        { title: 'thread', kind: 'name', value: (row) => threadName(row.thread), below: (row) => row.site },
        { field: 'observed_ns' },
        { title: 'running', kind: 'ns', value: (row) => row.states_ns.running },
        { title: 'ready', kind: 'ns', value: (row) => row.states_ns.ready },
        { title: 'waiting', kind: 'ns', value: (row) => ['lock', 'task', 'signal', 'sleep', 'native'].reduce((sum, state) => sum + row.states_ns[state], 0) },
        { title: 'paused', kind: 'ns', value: (row) => row.states_ns.paused },
        { title: 'idle', kind: 'ns', value: (row) => row.states_ns.idle },
        { title: 'unknown', kind: 'ns', value: (row) => row.states_ns.unknown },
      ],
    })
  },
})

Sections.push({
  id: 'pool', title: 'Thread pool', command: 'pool',
  has: ({ pool }) => pool !== null && pool.workers.most + pool.completed + pool.longest_queue + pool.busy > 0,
  lead: ({ pool }) => ({ starved: 'Thread pool starvation: work is queued while the workers are blocked.',
    strained: 'The pool was short of workers at times.',
    healthy: 'No thread pool starvation.', unknown: 'Too little was recorded to know whether the pool starves.' })[pool.verdict],
  build(host, { now: { pool }, table }) {
    host.append(figureRow([
      ['workers', pool.workers.fewest === pool.workers.most ? Format.count(pool.workers.most)
        : `${Format.count(pool.workers.fewest)}–${Format.count(pool.workers.most)}`],
      ['work items completed', Format.count(pool.completed)],
      ['longest queue', Format.count(pool.longest_queue)],
      ['no progress', Format.duration(pool.stalled_ns), `longest ${Format.duration(pool.longest_stall_ns)}`],
      ['busy', Format.count(pool.busy), `${Format.count(pool.blocked)} of them blocked`],
    ]))
    host.append(...pool.evidence.map((sentence) => make('p', 'evidence', prose(sentence))))
    table(host, {
      list: 'pool/blocking', caption: 'Calls that block workers', key: (row) => row.frames.join(),
      detail: (row) => [stackList(row.frames)],
      columns: [
        { field: 'site', title: 'place', kind: 'name', value: (row) => row.site ?? row.frames[0] ?? '(no stack)' },
        { field: 'kind', title: 'waits for' },
        { field: 'count', title: 'workers', compare: 'state' },
      ],
    })
  },
})

Sections.push({
  id: 'tasks', title: 'Unfinished async work', command: 'tasks',
  has: ({ tasks }) => tasks !== null && tasks.groups.length > 0,
  lead: ({ tasks }) => `${Format.count(tasks.unfinished)} of ${Format.count(tasks.tasks)} tasks have not finished.${
    tasks.before ? ' Compared with the previous snapshot.' : ''}`,
  build(host, { now: { tasks }, table }) {
    table(host, {
      list: 'tasks/groups', caption: 'By what they await', key: (row) => row.awaits + (row.site ?? '') + (row.holder ?? ''),
      detail: (row) => [row.holder ? make('p', '', 'Held by ', nameText(row.holder)) : null,
        row.stack.length > 0 ? stackList(row.stack) : make('p', 'below', 'No async method awaits them.')].filter((node) => node),
      columns: [
        { field: 'site', title: 'async method', kind: 'name', value: (row) => row.site ?? '(tasks only)' },
        { field: 'awaits' },
        { field: 'count', compare: 'state' },
        { field: 'unchanged', title: 'no progress' },
        { field: 'blocked_threads', title: 'threads blocked on them' },
      ],
    })
    for (const note of tasks.notes) host.append(make('p', 'note', prose(note)))
  },
})

// Threads of the runtime and the framework in which nothing of the application happens: only these
// have such names, or stacks without a method of the application.
const Plumbing = {
  code: /^(System\.|Microsoft\.|Interop\b|Internal\.|\[)|^[^ ]+\.so(\.\d+)*\b/,
  isStack: (frames) => frames.length > 0 && frames.every((name) => Plumbing.code.test(name)),
  isName: (name) => /^\.NET /.test(name ?? ''),

  // `rows`, with those for which `isIdle` is true moved to the end.
  last: (rows, isIdle) => [...rows.filter((row) => !isIdle(row)), ...rows.filter(isIdle)],

  // Returns a function of a thread's id and name, based on the stacks of a `threads` answer.
  test(stacks = []) {
    const busy = new Set(), idle = new Set()
    for (const { frames, threads } of stacks) for (const { id } of threads) (Plumbing.isStack(frames) ? idle : busy).add(id)
    return ({ id, name }) => !busy.has(id) && (idle.has(id) || Plumbing.isName(name))
  },
}

// The innermost frame that does not only wait for others.
function standingPlace(frames) {
  const waits = /^(System\.Threading\.|System\.Diagnostics\.Tracing\.NativeRuntimeEventSource\.|System\.Runtime\.CompilerServices\.\w*(Awaiter|Awaitable)\b|Interop\.|\[)/
  return frames.find((name) => !waits.test(name)) ?? frames[0] ?? '(native code only)'
}

Sections.push({
  id: 'threads', title: 'Threads', command: 'threads',
  has: ({ threads }) => threads !== null && threads.threads.length > 0,
  lead({ threads }) {
    const alive = threads.threads.filter((thread) => thread.state === 'alive').length
    return `${Format.count(threads.threads.length)} threads, ${Format.count(alive)} alive at the end.`
  },
  build(host, { now: { threads }, table }) {
    const isPlumbing = Plumbing.test(threads.stacks)
    const kinds = { zombie: 'stuck forever', 'thread leak': 'threads leak', foreground: 'keep the process alive',
      finalizer: 'runs finalizers, and is blocked in one' }
    for (const finding of threads.findings) {
      host.append(findingCard({ severity: 'warning', title: `${Format.count(finding.count)} ${kinds[finding.kind] ?? finding.kind}`,
        sentences: [finding.evidence], body: [stackList(finding.frames.slice(0, 12))] }))
    }
    table(host, {
      list: 'threads/stacks', caption: 'Thread stacks', arrange: (rows) => Plumbing.last(rows, (row) => Plumbing.isStack(row.frames)), key: (row) => row.frames.join(),
      detail: (row) => [stackList(row.frames), make('p', 'below', row.threads.slice(0, 40).map((thread) =>
        `${threadName(thread)}, ${thread.state}`).join('; '))],
      columns: [
        { title: 'place', kind: 'name', value: (row) => standingPlace(row.frames),
          below: (row) => (standingPlace(row.frames) === row.frames[0] ? null : row.frames[0]) },
        { field: 'count', title: 'threads', compare: 'state' },
        { title: 'longest unchanged', kind: 'ns', value: (row) => Math.max(...row.threads.map((thread) => thread.unchanged_ns ?? 0)) },
      ],
    })
    table(host, {
      list: 'threads/threads', caption: 'Lifetimes', alone: true,
      arrange: (rows) => Plumbing.last(rows, (row) => isPlumbing(row) && row.throws === 0),
      detail: (row) => {
        const at = threads.stacks.find((stack) => stack.threads.some(({ id }) => id === row.id))
        return at ? [make('h4', '', 'Stack, innermost first'), stackList(at.frames)] : [make('p', 'below', 'No stack was recorded.')]
      },
      columns: [
        { title: 'thread', kind: 'name', value: (row) => threadName(row) },
        { field: 'state', value: (row) => row.state.replaceAll('_', ' ') },
        { field: 'start_ns', title: 'started', kind: 'at' },
        { field: 'lifetime_ns', title: 'lived' },
        { field: 'throws' },
      ],
    })
  },
})
