// node report.mjs CHROMIUM FILE [PICTURES]: opens a report as a person would, works with it, and prints what it
// shows: {"title", "verdict", "sections": [ids], "findings": [{severity, kind, title, command}], "coverage":
// {signal: text}, "tables": {list: {columns, rows: [[numbers and texts]]}}, "flames": {signal: total},
// "requests": to anywhere but the file, "widest": {width: pixels that the page takes}, "contrast": {theme: the
// least}, "leads_to": sections that cards lead to, "method": of a row that leads to the flame graph, "phone": what is closed
// there, "used": share of a wide screen, "alerts": of a name that was taken for markup}.
// With PICTURES, screenshots in several widths, light and dark, go into that folder.
import { mkdirSync } from 'node:fs'
import { pathToFileURL } from 'node:url'
import { alertsOf, demand, inBrowser, requestsOutside } from './browser.mjs'
import { leastContrast } from './contrast.mjs'

const [executable, file, pictures] = process.argv.slice(2)
if (pictures) mkdirSync(pictures, { recursive: true })

const settled = (page, ms = 150) => page.evaluate((time) => new Promise((done) => setTimeout(() =>
  requestAnimationFrame(() => requestAnimationFrame(done)), time)), ms)

const theme = (page, name) =>
  page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: name }, { name: 'prefers-reduced-motion', value: 'reduce' }])

// Rows in order, with numbers as they are and texts as they are read.
const readTables = (page) => page.evaluate(() => Object.fromEntries(
  [...document.querySelectorAll('.table')].map((table) => {
    const columns = [...table.querySelectorAll('thead button')].map((button) => button.textContent)
    const rows = [...table.querySelectorAll('tbody tr:not(.unfolded)')].map((row) => [...row.cells].map((cell) =>
      (cell.dataset.value !== undefined ? (cell.dataset.value === '' ? null : Number(cell.dataset.value))
        : (cell.querySelector('span.name') ?? cell).textContent)))
    return [table.dataset.list, { columns, rows }]
  })))

// A finding's card leads to the section that shows more of it.
async function expectLinks(page) {
  const links = await page.$$eval('#summary .finding h3 a, #changes .finding h3 a', (all) => all.map((link) => link.hash))
  for (const hash of new Set(links)) {
    const top = await page.evaluate(async (to) => {
      document.querySelector(`.finding h3 a[href="${to}"]`).click()
      await new Promise((done) => setTimeout(() => requestAnimationFrame(done), 100))
      const box = document.querySelector(`main > section${to}`)?.getBoundingClientRect()
      return { top: box?.top, atEnd: scrollY + innerHeight >= document.documentElement.scrollHeight - 2, height: innerHeight }
    }, hash)
    demand(top.top >= 0 && top.top < (top.atEnd ? top.height : 120), `a card leads to ${hash}, which is at ${top.top}`)
  }
  return links
}

// A row of a method opens, and leads to its callers and callees: [what the row says, what the graph says].
async function methodInFlames(page) {
  const row = await page.$('[data-list="cpu/your_methods"] .unfold')
  if (!row) return null
  await row.click()
  const link = await page.$('[data-list="cpu/your_methods"] .to-flames')
  demand(link, 'a method does not lead to its callers and callees')
  await link.click()
  await settled(page, 400)
  const result = await page.evaluate(() => {
    const { cells } = document.querySelector('[data-list="cpu/your_methods"] tbody tr')
    const box = document.getElementById('sandwich').getBoundingClientRect()
    return { name: cells[0].querySelector('.name').textContent, total: Number(cells[1].dataset.value), shown: flame.callees.tree.name(0),
      sum: Number(document.getElementById('total').dataset.value), isSeen: box.height > 40 && box.top < innerHeight, hash: location.hash }
  })
  demand(result.isSeen && result.hash.startsWith('#flames&function='), `callers and callees are not shown: ${JSON.stringify(result)}`)
  await row.click()
  await page.evaluate(() => flame.reset())
  await settled(page, 300)
  demand(await page.evaluate(() => location.hash) === '#flames', 'the address still has callers and callees')
  return result
}

// On a phone: sections are closed, open one by one, and where a link leads to.
async function onPhone(page) {
  const state = () => page.evaluate(() => ({ height: document.documentElement.scrollHeight,
    closed: [...document.querySelectorAll('main > section')].filter((section) => ![...section.children].slice(1).some((part) => part.checkVisibility())).map(({ id }) => id) }))
  const first = await state()
  const button = await page.$(`#${first.closed[0]} h2 .fold`)
  await button.click()
  const one = await state()
  demand(!one.closed.includes(first.closed[0]) && one.height > first.height, 'a section does not open')
  await button.click()
  demand((await state()).closed.length === first.closed.length, 'a section does not close')
  await page.evaluate((id) => document.querySelector(`#contents a[href="#${id}"]`).click(), first.closed.at(-1))
  await settled(page)
  demand(!(await state()).closed.includes(first.closed.at(-1)), 'a link leads to a closed section')
  await page.evaluate(() => { for (const fold of document.querySelectorAll('h2 .fold[aria-expanded=false]')) fold.click() })
  const all = await state()
  demand(all.closed.length === 0, `closed for ever: ${all.closed}`)
  return { closed: first.closed, height: first.height, whole: all.height }
}

// Idle threads of the framework come last; made-up ones.
const idleLast = (page) => page.evaluate(() => {
  const stacks = [{ frames: ['System.Threading.Monitor.Wait', 'System.Threading.Thread.StartCallback'], threads: [{ id: 1 }] },
    { frames: ['System.Threading.Monitor.Wait', 'Shop.Stock.Take', 'System.Threading.Thread.StartCallback'], threads: [{ id: 2 }] }]
  const isPlumbing = Plumbing.test(stacks)
  const threads = [{ id: 1, name: 'first' }, { id: 4, name: '.NET Signal Handler' }, { id: 2, name: 'worker' }, { id: 3, name: null }]
  return [Plumbing.last(threads, isPlumbing).map(({ id }) => id).join(), stacks.map(({ frames }) => Plumbing.isStack(frames)).join()].join(' ')
})

const seen = await inBrowser(executable, async (page) => {
  const outside = requestsOutside(page)
  const dismissed = alertsOf(page)
  await theme(page, 'light')
  await page.setViewport({ width: 1280, height: 900 })
  await page.goto(pathToFileURL(file).href)
  await settled(page)
  const result = await page.evaluate(() => ({
    title: document.querySelector('h1').textContent,
    verdict: document.querySelector('.verdict').firstChild.textContent,
    sections: [...document.querySelectorAll('main > section')].map((section) => section.id),
    headings: Object.fromEntries([...document.querySelectorAll('main > section')].map((section) =>
      [section.id, section.querySelector('h2').textContent])),
    figures: Object.fromEntries([...document.querySelectorAll('main > section')].map((section) =>
      [section.id, [...section.querySelectorAll(':scope > .figures dd')].map((value) => value.firstChild.textContent)])),
    leads: Object.fromEntries([...document.querySelectorAll('main > section')].map((section) =>
      [section.id, section.querySelector('.lead')?.textContent ?? ''])),
    plain: [...document.querySelectorAll('.verdict, .finding h3, .evidence, .advice')].map((place) => place.textContent)
      .filter((text) => / -> |\+-\d/.test(text)),
    links: [...document.querySelectorAll('#contents a')].map((link) => link.hash.slice(1)),
    findings: [...document.querySelectorAll('#summary .finding')].map((card) => ({
      severity: card.dataset.severity, kind: card.dataset.kind, title: card.querySelector('h3').textContent,
      command: card.querySelector('.command code')?.textContent ?? '' })),
    differences: [...document.querySelectorAll('#changes .finding h3')].map((title) => title.textContent),
    coverage: Object.fromEntries([...document.querySelectorAll('.coverage > div')].map((row) =>
      [row.dataset.signal, row.querySelector('.state').textContent])),
    series: Object.fromEntries([...document.querySelectorAll('.series[data-signal]')].map((row) =>
      [row.dataset.signal, Number(row.querySelector('.value').dataset.value)])),
    drawings: [...document.querySelectorAll('.drawing')].map((host) => host.id),
  }))
  const forms = await page.evaluate(() => ['Shop.Cart.Pay', 'A.B<C.D, E>.Find', 'Shop.Cart..ctor', 'libc.so.6', 'libc.so.6!read']
    .map((name) => Format.forms(name).join(' ')))
  demand(forms.join('|') === 'Shop.Cart.Pay Cart.Pay Pay|A.B<C.D, E>.Find B<C.D, E>.Find Find|Shop.Cart..ctor Cart..ctor .ctor|libc.so.6|libc.so.6!read read',
    `short names are ${forms}`)
  demand(result.sections.join() === result.links.join(), 'the contents do not list the sections')

  // All rows, then what the first table does when it is sorted and searched.
  await page.evaluate(() => {
    for (const more of document.querySelectorAll('.more')) while (!more.hidden) more.click()
  })
  result.tables = await readTables(page)
  const order = await page.evaluate(() => {
    const table = [...document.querySelectorAll('.table')].find((one) => one.querySelectorAll('tbody tr').length > 2)
    if (!table) return null
    const column = [...table.querySelectorAll('th')].findIndex((head) => head.classList.contains('number'))
    const button = table.querySelectorAll('th button')[column]
    const values = () => [...table.querySelectorAll('tbody tr')].map((row) => Number(row.cells[column].dataset.value))
    const isSorted = (list, sign) => list.every((value, i) => i === 0 || sign * (value - list[i - 1]) >= 0)
    const state = () => button.parentElement.getAttribute('aria-sort')
    if (state() !== 'none') button.click()
    else button.click()
    const first = [isSorted(values(), state() === 'ascending' ? 1 : -1), state()]
    button.click()
    return [...first, isSorted(values(), state() === 'ascending' ? 1 : -1), state()]
  })
  if (order) {
    demand(order[0] && order[2] && order[1] !== order[3] && !order.includes('none'), `a table does not sort: ${order}`)
  }
  const found = await page.evaluate(() => {
    const field = document.querySelector('.filter')
    if (!field) return null
    const table = field.closest('.table')
    const name = table.querySelector('tbody tr:last-child span.name').textContent
    field.value = name
    field.dispatchEvent(new Event('input'))
    const names = [...table.querySelectorAll('tbody tr td:first-child span.name')].map((cell) => cell.textContent)
    field.value = ''
    field.dispatchEvent(new Event('input'))
    return { name, names }
  })
  if (found) demand(found.names.length > 0 && found.names.includes(found.name), `search does not find ${found.name}`)

  // By keyboard alone: Tab reaches the first link, the sections, the timeline, a row's details.
  await page.evaluate(() => { scrollTo(0, 0); document.activeElement.blur() })
  const stops = new Set()
  for (let i = 0; i < 40; ++i) {
    await page.keyboard.press('Tab')
    stops.add(await page.evaluate(() => {
      const at = document.activeElement
      const outline = getComputedStyle(at).outlineStyle
      if (outline === 'none' && !at.matches('input')) throw new Error(`no focus ring on ${at.outerHTML.slice(0, 80)}`)
      return at.className || at.id || at.tagName
    }))
  }
  demand(stops.has('skip') && stops.has('A') && stops.has('theme'), `the keyboard comes to ${[...stops]}`)
  if (await page.$('.timeline')) {
    await page.focus('.timeline')
    await page.keyboard.press('Home')
    await page.keyboard.press('ArrowRight')
    result.cursor = await page.$eval('.timeline', (plot) => [plot.getAttribute('aria-valuenow'), plot.getAttribute('aria-valuetext')])
    demand(result.cursor[0] === '1', 'the timeline has no cursor')
    await page.keyboard.press('Escape')
  }
  // Lanes of threads: in their order, idle ones apart; each reads by keyboard.
  result.lanes = await page.$$eval('.lanes .lane:not(.axis)', (all) => all.map((lane) => lane.querySelector('.label').textContent))
  if (result.lanes.length > 0) {
    await page.focus('.lanes .lane .plot')
    await page.keyboard.press('Home')
    result.run = await page.$eval('.lanes .lane .plot', (plot) => plot.getAttribute('aria-valuetext'))
    demand((await page.$eval('.lane-read', (read) => read.textContent)).endsWith(result.run), 'a lane is not read')
    demand(await page.$$eval('.lane-legend li', (all) => all.length > 0), 'lanes have no legend')
    await page.keyboard.press('Escape')
  }
  const unfold = await page.$('.unfold')
  if (unfold) {
    await unfold.focus()
    await page.keyboard.press('Enter')
    demand(await page.$('.unfolded .detail'), 'a row does not unfold')
    if (pictures) {
      await unfold.scrollIntoView()
      await settled(page)
      await page.screenshot({ path: `${pictures}/unfolded.png` })
    }
    await page.keyboard.press('Enter')
    demand(!(await page.$('.unfolded')), 'a row does not fold again')
  }

  // Flame graphs: each tab by itself.
  result.flames = {}
  for (const tab of await page.$$('[role=tab]')) {
    await tab.click()
    await settled(page)
    const [name, total] = await page.evaluate(() => [document.querySelector('[role=tab][aria-selected=true]').id.slice('tab-profile-'.length),
      Number(document.getElementById('total').dataset.value)])
    result.flames[name] = total
    demand(await page.$eval('#flame canvas', (canvas) => {
      const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, 40)
      return data.some((byte) => byte !== 0)
    }), `nothing is drawn of ${name}`)
  }
  const firstTab = await page.$('[role=tab]')
  if (firstTab) await firstTab.click()

  if (await page.evaluate(() => typeof flame === 'object' && !flame.changes)) result.method = await methodInFlames(page)
  result.leads_to = await expectLinks(page)
  result.idle = await idleLast(page)

  result.contrast = {}
  result.widest = {}
  for (const name of ['light', 'dark']) {
    await theme(page, name)
    await settled(page)
    result.contrast[name] = await leastContrast(page)
  }
  await page.evaluate(() => history.replaceState(null, '', location.pathname))
  await page.reload()
  for (const width of [320, 390, 660, 1090, 1280, 1920, 2560]) {
    const isPictured = pictures && [390, 1280, 1920, 2560].includes(width)
    await page.setViewport({ width, height: width === 390 ? 844 : width === 1280 ? 900 : 1400, deviceScaleFactor: pictures && width === 390 ? 2 : 1 })
    for (const name of ['light', 'dark']) {
      await theme(page, name)
      await settled(page, 300)
      result.widest[width] = await page.evaluate(() => document.documentElement.scrollWidth)
      if (!isPictured) break
      await page.evaluate(() => scrollTo(0, 0))
      await settled(page)
      await page.screenshot({ path: `${pictures}/${width}-${name}.png` })
      await page.screenshot({ path: `${pictures}/${width}-${name}-full.png`, fullPage: true })
    }
  }
  // How much of a wide screen is used, from the contents to the end of the lines, and tables that have not enough room.
  result.used = await page.evaluate(() => (document.getElementById('report').getBoundingClientRect().right -
    document.getElementById('contents').getBoundingClientRect().left) / innerWidth)
  result.cramped = await page.$$eval('.scroll', (all) => all.filter((one) => one.scrollWidth > one.clientWidth + 1).map((one) => one.closest('.table').dataset.list))
  await page.setViewport({ width: 390, height: 844 })
  await settled(page)
  result.phone = await onPhone(page)
  await page.setViewport({ width: 1280, height: 900 })
  await theme(page, 'dark')
  await page.emulateMediaType('print')
  await settled(page)
  result.print = await page.evaluate(() => ({
    paper: getComputedStyle(document.body).backgroundColor,
    contents: document.getElementById('contents').checkVisibility(),
  }))
  if (pictures) await page.pdf({ path: `${pictures}/print.pdf`, format: 'A4', printBackground: true })
  return { ...result, ...outside, ...dismissed }
})
console.log(JSON.stringify(seen))
