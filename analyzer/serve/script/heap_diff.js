// What grew between two heap snapshots, of one recording or of two.
const HeapChanges = {
  async show(host, at, { signal }) {
    const { recordings } = await Server.ask('list', {}, signal)
    const earlier = at.earlier ?? at.recording
    const [before, after] = await Promise.all([earlier, at.recording].map(async (recording) =>
      (await Server.ask('snapshots', { recording }, signal)).snapshots))
    const values = { earlier, recording: at.recording,
      earlier_snapshot: Number(at.earlier_snapshot ?? (earlier === at.recording ? before[0] : before.at(-1))?.snapshot),
      snapshot: Number(at.snapshot ?? after.at(-1)?.snapshot) }
    host.append(viewHead('Heap snapshots', 'What changed'), HeapChanges.form(recordings, before, after, values))
    if (earlier === at.recording && values.earlier_snapshot === values.snapshot) {
      return host.append(make('p', 'lead', after.length < 2
        ? 'This recording has one heap snapshot: choose another recording to compare it with.' : 'Choose two snapshots.'))
    }
    HeapChanges.result(host, at, values, await Server.ask('heapdiff', values, signal))
  },

  form(recordings, before, after, values) {
    const choice = (label, name, options) => {
      const select = make('select', '', ...options.map(([value, text]) => {
        const option = make('option', '', text)
        option.value = value
        option.selected = String(value) === String(values[name])
        return option
      }))
      select.addEventListener('change', () => {
        const changed = { ...values, [name]: select.value }
        if (name === 'earlier') changed.earlier_snapshot = null
        Explorer.go(Address.of('changes', changed))
      })
      return make('label', '', `${label} `, select)
    }
    const numbers = (all) => all.map(({ snapshot, unix_ns: at }) => [snapshot, `${snapshot}, ${Recordings.time(at)}`])
    return make('div', 'controls', choice('Earlier', 'earlier', recordings.filter((row) => row.snapshots > 0).map((row) => [row.recording, row.recording])),
      choice('snapshot', 'earlier_snapshot', numbers(before)), choice('later snapshot', 'snapshot', numbers(after)))
  },

  result(host, at, values, diff) {
    const [first, last] = [diff.heaps[0], diff.heaps.at(-1)]
    host.append(figureRow([
      ['alive', Format.bytes(last.bytes), `before ${Format.bytes(first.bytes)}`],
      ['objects', Format.count(last.objects), `before ${Format.count(first.objects)}`],
    ]), make('p', 'lead', `Differences below ${Format.bytes(diff.noise_bytes)} are not shown.`))
    const later = { recording: at.recording, snapshot: values.snapshot }
    const columns = (key) => [
      { title: 'type', kind: 'name', value: (row) => row.type,
        ...(key === 'type' ? { link: (row) => HeapPages.typeAddress(later, row.type) } : {}) },
      { title: 'retained before', kind: 'bytes', value: (row) => row.retained_bytes[0] },
      { title: 'after', kind: 'bytes', value: (row) => row.retained_bytes.at(-1) },
      { title: 'change', kind: 'change', isChange: true, value: (row) => row.retained_bytes.at(-1) - row.retained_bytes[0],
        show: (row) => Cells.change(row.retained_bytes[0], row.retained_bytes.at(-1)) },
      { title: 'objects before', kind: 'count', value: (row) => row.objects[0] },
      { title: 'objects after', kind: 'count', value: (row) => row.objects.at(-1) },
    ]
    const add = (list, caption, rows, options) => {
      const table = new DataTable({ caption, rows, first: 20, ...options })
      table.element.dataset.list = list
      host.append(rows.length > 0 ? table.element : make('p', 'lead', `${caption}: none.`))
    }
    add('growth', 'Growth, and what holds it', diff.growth, { columns: columns('path'), detail: (row) => [chainList(row.path)] })
    add('changes', 'By type', diff.types, { columns: columns('type') })
  },
}
