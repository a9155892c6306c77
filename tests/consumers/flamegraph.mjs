// node flamegraph.mjs CHROMIUM FILE [SEARCH [PICTURES]]: opens a flame graph as a person would, and prints
// what it shows: {"total", "matched", "walk": from hit to hit, "zoomed": {"total", "name"}, "reset", "folded": total without the
// framework's frames, "requests": to anywhere but the file, "base": the baseline's total}.
// With PICTURES, screenshots in several widths go into that folder.
import { pathToFileURL } from 'node:url'
import { demand, inBrowser } from './browser.mjs'

const [executable, file, search = '', pictures] = process.argv.slice(2)

async function settled(page) {
  await page.evaluate(() => new Promise((done) => setTimeout(() =>
    requestAnimationFrame(() => requestAnimationFrame(done)), 400)))
}

const number = (page, id) => page.$eval(id, (element) => Number(element.dataset.value))

// From hit to hit: what is told of each, and whether it can be seen. The last step leads on to the first.
async function walk(page, pictures) {
  const hits = await page.evaluate(() => flame.search.found.hits.length)
  const steps = []
  const stand = () => page.evaluate(() => {
    const { view, tree } = flame
    const node = view.selected
    const scale = view.canvas.clientWidth / (view.to - view.from)
    const [left, width] = [(tree.left[node] - view.from) * scale, tree.width[node] * scale]
    const top = tree.depth[node] * FlameView.ROW - view.scroller.scrollTop
    return { told: document.getElementById('matched').textContent, spoken: document.getElementById('spoken').textContent,
      tip: Number(document.getElementById('tip').dataset.total), node, name: tree.name(node),
      isSeen: left > -1 && left + width < view.canvas.clientWidth + 1 && width >= 59 && top >= -1 && top + FlameView.ROW <= view.scroller.clientHeight + 1 }
  })
  for (let i = 0; i < Math.min(hits + 1, 12); ++i) {
    await page.keyboard.press('Enter')
    await settled(page)
    steps.push(await stand())
    if (pictures && i === 1) await page.screenshot({ path: `${pictures}/search.png` })
  }
  await page.keyboard.down('Shift')
  await page.keyboard.press('Enter')
  await page.keyboard.up('Shift')
  await settled(page)
  return { hits, steps, back: (await stand()).node, total: await page.evaluate((text) =>
    [...flame.tree.frame.keys()].filter((node) => node > 0 && flame.tree.name(node).includes(text) && flame.tree.width[node] > 0).length, search) }
}

const seen = await inBrowser(executable, async (page) => {
  let requests = 0
  page.on('request', (request) => {
    if (!request.url().startsWith('file:') && !request.url().startsWith('data:')) ++requests
  })
  await page.setViewport({ width: 1280, height: 800 })
  await page.goto(pathToFileURL(file).href)
  await settled(page)
  const result = { total: await number(page, '#total') }
  demand(await page.$eval('canvas', (canvas) => {
    const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, 40)
    return data.some((byte) => byte !== 0)
  }), 'nothing is drawn')

  if (search !== '') {
    await page.type('#search', search)
    await settled(page)
    result.matched = await number(page, '#matched')
    result.walk = await walk(page, pictures)
    await page.keyboard.press('Escape')
    await settled(page)
    demand(await page.$eval('#matched', (told) => told.textContent) === '', 'the search is not reset')
  }

  // The first call of the root, by mouse; the tooltip tells its total, the path where we are.
  const box = await (await page.$('#flame')).boundingBox()
  await page.mouse.move(box.x + 20, box.y + 33)
  await settled(page)
  const tip = await page.$eval('#tip', (element) => ({
    hidden: element.hidden, total: Number(element.dataset.total),
    name: element.querySelector('.name')?.textContent,
  }))
  demand(!tip.hidden, 'no tooltip')
  if (pictures) await page.screenshot({ path: `${pictures}/tip.png` })
  await page.mouse.click(box.x + 20, box.y + 33)
  await settled(page)
  const step = await page.$eval('#path .step:last-child', (element) => element.title)
  demand(step === tip.name, `zoomed to ${step} and not to ${tip.name}`)
  const covers = await page.evaluate(() => flame.view.to - flame.view.from)
  result.zoomed = { name: tip.name, total: tip.total, covers }
  if (pictures) await page.screenshot({ path: `${pictures}/zoom.png` })

  // By keyboard: down into a call and back.
  await page.focus('#flame')
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('ArrowUp')
  demand((await page.$eval('#spoken', (element) => element.textContent)).startsWith(tip.name),
    'the keyboard does not walk')
  await page.keyboard.press('Escape')
  await settled(page)
  result.reset = await page.evaluate(() => flame.view.from === 0 && flame.view.to === 1)

  const chip = await page.evaluateHandle(() =>
    [...document.querySelectorAll('.chip')].find((chip) => chip.textContent.includes('framework')))
  if (chip.asElement()) {
    await chip.asElement().click()
    await settled(page)
    result.folded = await page.evaluate(() => flame.tree.amount(0, 0))
    await page.evaluate(() => [...document.querySelectorAll('.chip')]
      .find((chip) => chip.textContent.includes('framework')).click())
  }
  if (await page.evaluate(() => flame.changes)) {
    await page.select('#widths', 'base')
    await settled(page)
    result.base = await number(page, '#total')
    await page.select('#widths', 'now')
  }
  if (pictures) {
    for (const [width, height] of [[390, 844], [1280, 800], [2560, 1300]]) {
      await page.setViewport({ width, height })
      await settled(page)
      await page.screenshot({ path: `${pictures}/${width}.png` })
    }
    await page.setViewport({ width: 1280, height: 800 })
    await page.click('#theme')
    await settled(page)
    await page.screenshot({ path: `${pictures}/dark.png` })
  }
  return { ...result, requests }
})
console.log(JSON.stringify(seen))
