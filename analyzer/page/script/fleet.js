// The page of a fleet: the output of `hindsight fleet --json`, as findings to read and tables to
// search.

const data = readData('data')

const FleetReport = {
  CARDS: 12,  // findings that are shown in full; all are in the table

  start() {
    const { fleet } = data
    document.title = `${FleetReport.title(fleet)} – Hindsight`
    FleetReport.head(fleet)
    FleetReport.section('findings', 'Findings', (host) => FleetReport.findings(host, fleet))
    FleetReport.section('outliers', 'Hosts that differ', (host) => FleetReport.outliers(host, fleet))
    if (fleet.hosts.length > 0) FleetReport.section('hosts', 'Hosts', (host) => FleetReport.hosts(host, fleet))
    if (fleet.builds.length > 0) FleetReport.section('builds', 'Builds', (host) => FleetReport.builds(host, fleet))
    FleetReport.section('applications', 'Applications', (host) => FleetReport.applications(host, fleet))
    if (fleet.unreadable.length > 0) {
      FleetReport.section('unreadable', 'Not included', (host) => FleetReport.unreadable(host, fleet))
    }
    document.getElementById('foot').append(
      make('p', '', `Made by ${data.creator}. This page loads nothing and sends nothing.`))
    contents()
  },

  plural(count, one, many = `${one}s`) { return `${Format.count(count)} ${count === 1 ? one : many}` },
  title(fleet) {
    const processes = FleetReport.plural(fleet.count.processes, 'process', 'processes')
    return fleet.count.hosts > 0 ? `${processes} on ${FleetReport.plural(fleet.count.hosts, 'host')}` : processes
  },
  name(application) { return application === '' ? 'an unknown application' : application },
  shortBuild(build) { return build.slice(0, 8) },
  minute(unixNs) { return unixNs === 0 ? null : new Date(unixNs / 1e6).toISOString().slice(0, 16).replace('T', ' ') },

  head(fleet) {
    const facts = make('dl', 'facts')
    const fact = (name, value) => facts.append(make('div', '', make('dt', '', name), make('dd', '', value)))
    fact('recordings', Format.count(fleet.recordings))
    if (fleet.first_unix_ns !== 0) {
      fact('recorded', `${FleetReport.minute(fleet.first_unix_ns)} to ${FleetReport.minute(fleet.last_unix_ns)} UTC`)
    }
    fact('applications', fleet.applications.map((one) => FleetReport.name(one.name)).slice(0, 5).join(', '))
    const count = (severity) => fleet.findings.filter((finding) => finding.severity === severity).length
    const [critical, warnings] = [count('critical'), count('warning')]
    const words = [[critical, 'critical finding'], [warnings, 'warning']].filter(([n]) => n > 0)
      .map(([n, one]) => FleetReport.plural(n, one)).join(', ')
    const on = fleet.count.hosts > 0 ? `${Format.count(fleet.ill.hosts)} of ${FleetReport.plural(fleet.count.hosts, 'host')}, ` : ''
    const verdict = make('p', 'verdict', words || 'No problems found', words
      ? make('span', 'below', `${on}${Format.count(fleet.ill.processes)} of ${
        FleetReport.plural(fleet.count.processes, 'process', 'processes')}`) : null)
    verdict.dataset.severity = critical > 0 ? 'critical' : warnings > 0 ? 'warning' : 'good'
    const notes = []
    if (fleet.without_time > 0) {
      notes.push(`${FleetReport.plural(fleet.without_time, 'recording')} without a usable time: the host's clock was not set.`)
    }
    if (fleet.without_host > 0) notes.push(`${FleetReport.plural(fleet.without_host, 'recording')} without a host name.`)
    if (fleet.copies > 0) notes.push(`${FleetReport.plural(fleet.copies, 'recording')} left out: the same as another one.`)
    if (fleet.parts > 0) notes.push(`${FleetReport.plural(fleet.parts, 'recording')} left out: a part of another one.`)
    document.getElementById('head').append(make('p', 'kicker', 'Fleet'), make('h1', '', FleetReport.title(fleet)),
      facts, verdict, ...notes.map((note) => make('p', 'note', note)))
  },

  section(id, title, fill) {
    const heading = make('h2', '', title)
    heading.id = `${id}-title`
    const host = make('section', '', make('div', 'section-head', heading))
    host.id = id
    host.setAttribute('aria-labelledby', heading.id)
    fill(host)
    document.getElementById('report').append(host)
  },

  table(host, list, options) {
    const table = new DataTable({ rows: data.fleet[list], leftOut: data.left_out[list] ?? 0, ...options,
      columns: described(`fleet/${list}`, options.columns) })
    table.element.dataset.list = list
    host.append(table.element)
  },

  where({ has, of }) {
    const hosts = of.hosts > 0 ? `On ${Format.count(has.hosts)} of ${FleetReport.plural(of.hosts, 'host')}, in ` : 'In '
    return `${hosts}${Format.count(has.processes)} of ${FleetReport.plural(of.processes, 'process', 'processes')}.`
  },

  since({ state, build, first_seen_unix_ns: seen, builds_before: before }) {
    const short = FleetReport.shortBuild(build)
    switch (state) {
      case 'since': return `Since build ${short} (first recorded ${FleetReport.minute(seen)} UTC), not in ${
        before === 1 ? 'the build' : `the ${Format.count(before)} builds`} before.`
      case 'from_the_start': return `Already in the oldest build here, ${short}.`
      case 'only_one_build': return `All of build ${short}.`
      default:
        return build === '' ? 'The build was not recorded.' : 'The first build is unknown, because a build has no usable time.'
    }
  },

  findings(host, { findings }) {
    if (findings.length === 0) return host.append(make('p', 'lead', 'Nothing was found.'))
    for (const finding of findings.slice(0, FleetReport.CARDS)) {
      host.append(findingCard({
        severity: finding.severity, title: `${FleetReport.name(finding.application)}: ${finding.title}`,
        sentences: [FleetReport.where(finding), FleetReport.since(finding.first_build)], command: finding.command }))
    }
    FleetReport.table(host, 'findings', {
      caption: 'All findings',
      detail: (row) => [make('p', '', FleetReport.where(row)), make('p', '', FleetReport.since(row.first_build)),
        commandLine(row.command)],
      columns: [
        { field: 'title', title: 'finding', kind: 'name' },
        { field: 'severity' },
        { title: 'application', kind: 'text', value: (row) => FleetReport.name(row.application) },
        { field: 'has/hosts' },
        { field: 'of/hosts', title: 'of' },
        { field: 'has/processes' },
        { field: 'of/processes', title: 'of' },
        { title: 'first build', kind: 'text', value: (row) => FleetReport.shortBuild(row.first_build.build) || null },
      ],
    })
  },

  amount(value, unit) {
    switch (unit) {
      case 'bytes': return Format.bytes(value)
      case 'bytes_per_second': return `${Format.bytes(value)}/s`
      case 'share': return Format.percent(value)
      case 'per_second': return `${Cells.text(value, 'decimal')}/s`
      default: return Cells.text(value, 'decimal')
    }
  },

  outliers(host, { outliers, applications }) {
    const few = applications.filter((one) => !one.hosts_compared).map((one) => FleetReport.name(one.name))
    host.append(make('p', 'lead', outliers.length > 0
      ? 'Numbers that are far from the median of the hosts that run the same application.'
      : 'No host is far from the others that run the same application.'))
    if (few.length > 0) host.append(make('p', 'note', `Not compared, because it takes five hosts of one application: ${few.join(', ')}.`))
    if (outliers.length === 0) return
    FleetReport.table(host, 'outliers', {
      caption: 'Outliers',
      columns: [
        { field: 'host', kind: 'name' },
        { title: 'application', kind: 'text', value: (row) => FleetReport.name(row.application) },
        { field: 'measure', title: 'number' },
        { field: 'value', title: 'there', kind: 'plain', show: (row) => FleetReport.amount(row.value, row.unit) },
        { field: 'median', kind: 'plain', show: (row) => FleetReport.amount(row.median, row.unit) },
        { field: 'hosts' },
        { title: 'deviations', kind: 'decimal', value: (row) => Math.abs(row.deviations),
          show: (row) => (Math.abs(row.deviations) > 100 ? 'over 100' : Math.abs(row.deviations).toFixed(1)) },
      ],
    })
  },

  counts: [
    { field: 'recordings' },
    { field: 'critical' },
    { field: 'warnings' },
  ],

  hosts(host) {
    FleetReport.table(host, 'hosts', {
      caption: 'Findings by host',
      columns: [
        { field: 'name', title: 'host', kind: 'name' },
        { field: 'processes' },
        ...FleetReport.counts,
        { field: 'outliers' },
        { title: 'last recorded (UTC)', kind: 'text', value: (row) => FleetReport.minute(row.last_unix_ns) },
      ],
    })
  },

  builds(host) {
    FleetReport.table(host, 'builds', {
      caption: 'Findings by build, the newest first',
      columns: [
        { title: 'build', kind: 'name', value: (row) => FleetReport.shortBuild(row.build) },
        { title: 'application', kind: 'text', value: (row) => FleetReport.name(row.application) },
        { title: 'first recorded (UTC)', kind: 'text', value: (row) => FleetReport.minute(row.first_unix_ns) },
        { field: 'hosts' },
        { field: 'processes' },
        ...FleetReport.counts,
        { field: 'new_findings', title: 'new' },
      ],
    })
  },

  applications(host) {
    FleetReport.table(host, 'applications', {
      caption: 'What was recorded',
      columns: [
        { title: 'application', kind: 'name', value: (row) => FleetReport.name(row.name) },
        { field: 'hosts' },
        { field: 'processes' },
        { field: 'recordings' },
        { field: 'builds' },
      ],
    })
  },

  unreadable(host) {
    FleetReport.table(host, 'unreadable', {
      caption: 'Recordings that could not be read',
      columns: [
        { field: 'path', kind: 'name' },
        { field: 'reason' },
      ],
    })
  },
}

document.getElementById('theme').addEventListener('click', Theme.toggle)
FleetReport.start()
