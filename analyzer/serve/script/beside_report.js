// A report shown by the server: links to the explorer's other views of the recording.
{
  const at = Object.fromEntries(new URLSearchParams(location.search))
  const has = { events: report.answers.timeline !== null, heap: report.answers.heap !== null }
  const links = Address.views(at, has).filter(([, , name]) => name !== 'report')
  const row = make('p', 'links beside', ...links.map(([title, address]) => {
    const link = make('a', '', title)
    link.href = address
    return link
  }))
  document.getElementById('head').prepend(row)
}
