// node explorer.mjs CHROMIUM URL TYPE [PICTURES]: opens the page of `hindsight serve` as a person would, walks from the
// list to a report, to the types of a heap, to the objects of TYPE, to one of them and its path from a root, and prints
// what it shows:
// {"recordings": [{"name", "brief"}], "report": title, "types": {name: [retained, shallow, objects, garbage]},
//  "instances": [[address, retained]], "object": {"facts", "path", "references", "referrers", "steps": [texts]},
//  "dominated": [types], "methods": {name: ns} of a part of the time, "flames": of parts and a thread, "waits": of a part and a thread, "answer": rows of SQL, "changes": {type: [before, after]},
//  "widest", "contrast", "alerts", "elsewhere": addresses that are not the server's}.
// With PICTURES, screenshots in several widths, light and dark, go into that folder.
import { mkdirSync } from 'node:fs'
import { alertsOf, demand, inBrowser } from './browser.mjs'
import { leastContrast } from './contrast.mjs'

const [executable, url, type, pictures] = process.argv.slice(2)
if (pictures) mkdirSync(pictures, { recursive: true })

// The page shows the view that the address names.
const shown = (page) => page.waitForFunction(() => document.getElementById('report').dataset.shown === location.search, { timeout: 60_000 })

// A click on a link, and what it leads to.
async function follow(page, selector) {
  const before = await page.evaluate(() => location.search)
  await page.click(selector)
  await page.waitForFunction((search) => location.search !== search, {}, before)
  await shown(page)
}
async function visit(page, query) {
  await page.goto(`${url}?${new URLSearchParams(query)}`)
  await shown(page)
}

// Rows in order: numbers as they are, texts as they are read.
const rowsOf = (page, list) => page.$$eval(`[data-list="${list}"] tbody tr:not(.unfolded)`, (rows) => rows.map((row) =>
  [...row.cells].map((cell) => (cell.dataset.value !== undefined ? (cell.dataset.value === '' ? null : Number(cell.dataset.value))
    : (cell.querySelector('span') ?? cell).textContent))))
const showAll = (page) => page.evaluate(() => {
  for (const more of document.querySelectorAll('.table > .more')) while (!more.hidden) more.click()
})

async function theHeap(page, recording, result) {
  await visit(page, { view: 'heap', recording })
  await showAll(page)
  result.types = Object.fromEntries((await rowsOf(page, 'types')).map(([name, ...numbers]) => [name, numbers]))
  // The sort order is in the address, and is kept after a reload.
  await page.$$eval('[data-list="types"] th button', (buttons) => buttons[3].click())
  demand((await page.evaluate(() => location.search)).includes('sort=3'), 'the order is not in the address')
  const sorted = await rowsOf(page, 'types')
  await page.reload()
  await shown(page)
  demand((await rowsOf(page, 'types'))[0].join() === sorted[0].join(), 'a reload shows another order')

  const link = await page.evaluateHandle((name) => [...document.querySelectorAll('[data-list="types"] td.name a')]
    .find((one) => one.textContent === name), type)
  const before = await page.evaluate(() => location.search)
  await link.click()
  await page.waitForFunction((search) => location.search !== search, {}, before)
  await shown(page)
  result.instances = (await rowsOf(page, 'instances')).map(([address, retained]) => [address, retained])
  const pages = await page.$('[data-list="instances"] .pager')
  if (pages) {
    await follow(page, '[data-list="instances"] .pager a:nth-of-type(1)')
    const second = await rowsOf(page, 'instances')
    demand(second[0][0] !== result.instances[0][0], 'the next page is the same')
    await page.goBack()
    await shown(page)
  }
  const search = await page.evaluate(() => location.search)
  await follow(page, '[data-list="instances"] td.address a')
  result.object = await page.evaluate(() => ({
    title: document.querySelector('h1').textContent,
    facts: Object.fromEntries([...document.querySelectorAll('.view-head .facts > div')].map((fact) => [...fact.children].map((part) => part.textContent))),
    path: [...document.querySelectorAll('.root-path .chain li')].map((part) => part.textContent),
  }))
  result.object.references = await rowsOf(page, 'references')
  result.object.referrers = await rowsOf(page, 'referrers')
  await page.click('.root-path .more')
  await page.waitForSelector('.root-path .steps')
  result.object.steps = await page.$$eval('.steps li', (steps) => steps.map((step) => step.querySelector('.below').textContent.split(',')[0]))
  // Back, and forward again.
  await page.goBack()
  await shown(page)
  demand(await page.evaluate(() => location.search) === search, 'the way back does not lead to the list')
  demand((await rowsOf(page, 'instances'))[0][0] === result.instances[0][0], 'the way back shows another list')
  await page.goForward()
  await shown(page)
  demand(await page.$eval('h1', (title) => title.textContent) === result.object.title, 'the way forward does not lead to the object')
  // By keyboard: the focus reaches a link of a table, and Enter follows it.
  await page.focus('[data-list="referrers"] td.name a')
  const from = await page.evaluate(() => location.search)
  await page.keyboard.press('Enter')
  await page.waitForFunction((before) => location.search !== before, {}, from)
  await shown(page)
  await visit(page, { view: 'dominators', recording })
  result.dominated = (await rowsOf(page, 'dominated')).map(([name]) => name)
  await follow(page, '[data-list="dominated"] td.number a')
  demand((await rowsOf(page, 'dominated')).length > 0, 'nothing is below the top of the dominator tree')
}

// A large heap, whose references are not analyzed yet: the server says so twice, and then answers.
async function theFirstLook(page, recording) {
  let asked = 0
  const early = (request) => {
    if (!request.url().includes('api/types') || ++asked > 2) return request.continue()
    return request.respond({ status: 200, contentType: 'application/json', body: JSON.stringify({ is_preliminary: true, percent: 20 * asked,
      heap: { application: 'Shop', snapshot: 1, unix_ns: 0 }, types: [{ type: 'Shop.Early', objects: 7, bytes: 4096 }] }) })
  }
  await page.setRequestInterception(true)
  page.on('request', early)
  await page.goto(`${url}?${new URLSearchParams({ view: 'heap', recording })}`)
  await page.waitForFunction(() => document.querySelector('.so-far')?.textContent.includes('40 %'))
  demand(await page.$eval('main table', (table) => table.textContent.includes('Shop.Early') && table.textContent.includes('4.00 KiB')), 'types are not shown before all is known')
  await shown(page)
  demand(await page.$('.so-far') === null && !(await page.$eval('main', (main) => main.textContent.includes('Shop.Early'))), 'what was known first stays')
  demand((await rowsOf(page, 'types')).length > 3, 'the types do not follow')
  page.off('request', early)
  await page.setRequestInterception(false)
}

// Drags over the timeline, from one share of its width to another.
async function brush(page, from, to) {
  const plot = await (await page.$('.timeline .series .plot')).boundingBox()
  const before = await page.evaluate(() => location.search)
  await page.mouse.move(plot.x + plot.width * from, plot.y + 10)
  await page.mouse.down()
  await page.mouse.move(plot.x + plot.width * to, plot.y + 10, { steps: 4 })
  await page.mouse.up()
  await page.waitForFunction((search) => location.search !== search, {}, before)
  await shown(page)
}

// The marks of the chosen part lie in the plots, not on the words next to or above them.
const marksStandApart = (page) => page.evaluate(() => {
  const boxes = (selector) => [...document.querySelectorAll(selector)].map((element) => element.getBoundingClientRect())
  const marks = boxes('.timeline .brush')
  return marks.length > 0 && marks.every((mark) => mark.width > 20 && mark.height > 20
    && boxes('.timeline :is(.label span, .value, .marks span)').every((words) => words.width === 0 || words.bottom <= mark.top || words.top >= mark.bottom
      || words.right <= mark.left || words.left >= mark.right))
})

const flameState = (page) => page.evaluate(() => ({ ...Object.fromEntries(new URLSearchParams(location.search)),
  total: Number(document.getElementById('total').dataset.value), told: document.getElementById('matched').textContent,
  middle: flame.middle < 0 ? '' : flame.data.frames.name[flame.middle] }))

// The flame graph of the chosen part, of another part, and of one thread; the search and the function in the middle are kept.
async function theFlames(page, result) {
  const settled = () => page.evaluate(() => new Promise((done) => setTimeout(() => requestAnimationFrame(done), 400)))
  await page.waitForFunction(() => document.querySelector('#flame canvas')?.width > 0)
  await settled()
  demand(await page.$eval('#flame canvas', (canvas) => {
    const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, 40)
    return data.some((byte) => byte !== 0)
  }), 'no flame graph is drawn')
  result.flames = { part: await flameState(page) }
  await page.type('#search', 'Pay$')
  await page.keyboard.press('Enter')
  await settled()
  await page.click('#open-sandwich')
  await settled()
  demand(await page.evaluate(() => location.search.includes('function=') && location.search.includes('from=')), 'the address does not say what the flame graph shows')
  await page.evaluate(() => scrollTo(0, 0))
  await brush(page, 0.1, 0.4)
  result.flames.other = await flameState(page)
  await page.reload()
  await shown(page)
  demand(JSON.stringify(await flameState(page)) === JSON.stringify(result.flames.other), `a reload shows ${JSON.stringify(await flameState(page))} and not ${JSON.stringify(result.flames.other)}`)
  await follow(page, '[data-list="cpu/threads"] tbody tr:nth-child(2) a')
  result.flames.thread = await flameState(page)
  await page.goBack()
  await shown(page)
  demand((await flameState(page)).told === result.flames.other.told, 'the way back shows another flame graph')
  await page.$$eval('#flames [role=tab]', (tabs) => tabs[1].click())
  await page.waitForFunction(() => location.search.includes('signal='))
  await shown(page)
  result.flames.allocated = await flameState(page)
}

// Where threads waited in a part of the time: the tables of all, and the flame graph of one thread.
async function theWaits(page, waits, result) {
  await visit(page, { view: 'events', recording: waits })
  await page.type('[name=from]', '5')
  await page.type('[name=to]', '15')
  await page.keyboard.press('Enter')
  await page.waitForFunction(() => location.search.includes('from=5'))
  await shown(page)
  await page.$$eval('#flames [role=tab]', (tabs) => tabs.find((tab) => tab.textContent === 'Wall-clock time').click())
  await page.waitForFunction(() => location.search.includes('signal=wall'))
  await shown(page)
  await showAll(page)
  result.waits = { part: await flameState(page), places: await rowsOf(page, 'wall/places') }
  demand(await page.$('#wall .lanes'), 'no states of threads are drawn')
  await follow(page, '[data-list="wall/threads"] tbody tr a')
  result.waits.thread = await flameState(page)
  demand(!(await page.$('[data-list="wall/places"]')), 'a table of all threads stands below one thread')
}

async function theRest(page, { events, heap, earlier }, result) {
  await visit(page, { view: 'events', recording: events })
  await brush(page, 0.25, 0.75)
  result.part = await page.evaluate(() => Object.fromEntries(new URLSearchParams(location.search)))
  demand(await page.$eval('.brush', (brush) => !brush.hidden && brush.clientWidth > 50), 'the chosen part is not marked')
  await showAll(page)
  result.methods = Object.fromEntries((await rowsOf(page, 'cpu/methods')).map(([name, ns]) => [name, ns]))

  await theFlames(page, result)

  await visit(page, { view: 'sql', recording: events })
  await page.$eval('textarea', (text) => { text.value = 'SELECT name FROM threads ORDER BY name' })
  await page.click('.query .more')
  await page.waitForFunction(() => location.search.includes('query='))
  await shown(page)
  await showAll(page)
  result.answer = await rowsOf(page, 'answer')
  await visit(page, { view: 'sql', recording: events, query: 'SELECT 9223372036854775807 AS most, 1 AS one' })
  demand((await page.$eval('[data-list="answer"] tbody', (body) => body.textContent)).includes('9223372036854775807'), 'a large number is another one')
  await visit(page, { view: 'sql', recording: events, query: 'SELECT none_such' })
  demand(/no such column/.test(await page.$eval('.failed', (note) => note.textContent)), 'a wrong query is not told')

  // Objects of a heap, and from an address of the answer to the object.
  await visit(page, { view: 'sql', recording: heap, query: 'SELECT type, count(*), sum(size) FROM objects GROUP BY type' })
  await showAll(page)
  result.counted = Object.fromEntries((await rowsOf(page, 'answer')).map(([name, ...numbers]) => [name, numbers]))
  await visit(page, { view: 'sql', recording: heap, query: 'SELECT address, retained FROM objects ORDER BY retained DESC LIMIT 3' })
  const [largest] = await rowsOf(page, 'answer')
  await follow(page, '[data-list="answer"] tbody a')
  demand((await page.evaluate(() => location.search)).includes(largest[0]), 'an address of the answer leads elsewhere')
  demand((await page.$eval('.facts', (facts) => facts.textContent)).includes(largest[0]), 'the object is another one')

  await visit(page, { view: 'changes', recording: heap, earlier })
  await showAll(page)
  result.changes = Object.fromEntries((await rowsOf(page, 'changes')).map(([name, before, after]) => [name, [before, after]]))
}

const seen = await inBrowser(executable, async (page) => {
  const dismissed = alertsOf(page)
  const result = { elsewhere: [], widest: {}, contrast: {} }
  page.on('request', (request) => {
    if (!request.url().startsWith(url) && !request.url().startsWith('data:')) result.elsewhere.push(request.url())
  })
  await page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: 'light' }, { name: 'prefers-reduced-motion', value: 'reduce' }])
  await page.setViewport({ width: 1280, height: 900 })
  await page.goto(url)
  await shown(page)
  result.recordings = await page.$$eval('.recording', (cards) => cards.map((card) => ({
    name: card.dataset.recording, badge: card.querySelector('.badge')?.textContent ?? '',
    brief: card.querySelector('.brief').textContent })))
  const names = result.recordings.map(({ name }) => name)
  const one = (part) => names.find((name) => name.includes(part))
  const recordings = { events: one('profile'), heap: one('later'), earlier: one('earlier'), waits: one('waits') }

  // The report, and what changed between two.
  await Promise.all([page.waitForNavigation(), page.click(`[data-recording="${recordings.events}"] h3 a`)])
  result.report = await page.$eval('h1', (title) => title.textContent)
  result.beside = await page.$$eval('.beside a', (links) => links.map((link) => link.textContent))
  demand(await page.$('#flame canvas'), 'the report has no flame graph')
  await page.goBack()
  await shown(page)
  for (const name of [recordings.heap, recordings.earlier]) await page.click(`[data-recording="${name}"] input`)
  await Promise.all([page.waitForNavigation(), page.click('.compare')])
  result.compared = await page.$eval('#changes h2', (title) => title.textContent)

  await theFirstLook(page, recordings.heap)
  await theHeap(page, recordings.heap, result)
  await theWaits(page, recordings.waits, result)
  await theRest(page, recordings, result)
  demand(await page.evaluate(() => document.querySelector('main script, main img, main b') === null), 'a name became markup')
  const address = result.instances[0][0]
  const views = { list: {}, types: { view: 'heap', recording: recordings.heap }, instances: { view: 'type', recording: recordings.heap, type },
    object: { view: 'object', recording: recordings.heap, address }, dominators: { view: 'dominators', recording: recordings.heap },
    changes: { view: 'changes', recording: recordings.heap, earlier: recordings.earlier },
    events: { view: 'events', recording: recordings.events, from: 1, to: 2 },
    waits: { view: 'events', recording: recordings.waits, from: 5, to: 15, signal: 'wall' },
    sql: { view: 'sql', recording: recordings.events, query: 'SELECT * FROM threads' } }
  for (const [name, query] of Object.entries(views)) {
    await visit(page, query)
    for (const theme of ['light', 'dark']) {
      await page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: theme }, { name: 'prefers-reduced-motion', value: 'reduce' }])
      for (const width of [390, 1280, 1920, 2560]) {
        await page.setViewport({ width, height: width === 390 ? 844 : 1000 })
        if (name === 'events') demand(await marksStandApart(page), `the mark of the chosen time covers words at ${width}`)
        result.widest[`${name} ${width}`] = await page.evaluate(() => document.documentElement.scrollWidth)
        if (pictures && width < 2560) await page.screenshot({ path: `${pictures}/${name}-${width}-${theme}.png` })
      }
      result.contrast[`${name} ${theme}`] = await leastContrast(page)
    }
  }
  return { ...result, ...dismissed }
  // A wrong query is answered with an error, which the page shows.
}, /status of 400/)
console.log(JSON.stringify(seen))
