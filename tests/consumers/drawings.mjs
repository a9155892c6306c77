// node drawings.mjs CHROMIUM FILE [PICTURES]: walks through the drawings of a report as a person would, and prints
// what they show:
// {"boxes": [{"type", "retained", "objects"}], "suspects": [texts], "selected": {"type", "path": [parts]},
//  "zoomed": {"in": steps of the path, "out"}, "walked": whether arrows lead to another box,
//  "graphs": [{"title", "nodes": [{"name", "member", "facts": {name: [values]}}], "edges": [[from, to, says]],
//    "crowds": [count], "words": sentences of the same}],
//  "contrast": {"light", "dark"}: the lowest of a text with its background, "wide": pixels that the page is wider
//  than 390, "requests"}.
// With PICTURES, screenshots of both drawings in several widths, light and dark, go into that folder.
import { pathToFileURL } from 'node:url'
import { demand, inBrowser, requestsOutside } from './browser.mjs'

const [executable, file, pictures] = process.argv.slice(2)

const settled = (page) => page.evaluate(() => new Promise((done) => setTimeout(() =>
  requestAnimationFrame(() => requestAnimationFrame(done)), 120)))

// Each box under the mouse, and what the details next to the map say about it.
const boxes = (page) => page.$$eval('#treemap .map-box[role=treeitem]', (elements) => elements.map((element) => {
  element.dispatchEvent(new PointerEvent('pointermove', { pointerType: 'mouse', bubbles: true }))
  const details = document.querySelector('#treemap .map-details')
  const facts = [...details.querySelectorAll('.map-facts dt')].map((name) => [name.textContent, name.nextElementSibling.textContent])
  return { type: details.querySelector('.map-name').textContent, retained: Number(element.dataset.retained),
    objects: Number(Object.fromEntries(facts).objects.replaceAll(',', '')), grew: element.dataset.grew }
}))

const steps = (page) => page.$$eval('#treemap .map-step', (elements) => elements.length)
const active = (page) => page.$eval('#treemap-view', (view) =>
  document.getElementById(view.getAttribute('aria-activedescendant'))?.dataset.cell)

async function treemap(page) {
  const seen = { boxes: await boxes(page) }
  seen.suspects = await page.$$eval('#treemap .map-suspect .title', (elements) => elements.map((element) => element.textContent))
  if (seen.suspects.length > 0) await page.click('#treemap .map-suspect')
  await page.mouse.move(0, 0)
  seen.selected = await page.$eval('#treemap .map-details', (details) => ({
    type: details.querySelector('.map-name').textContent,
    path: [...details.querySelectorAll('.chain li')].map((part) => part.textContent),
  }))
  demand(await page.$eval('#treemap', (host) => host.querySelector('script, img, b') === null), 'a name became markup')
  // By keyboard: to a neighbour, into a box that has others in it, and out again.
  await page.focus('#treemap-view')
  const from = await active(page)
  seen.walked = false
  for (const key of ['ArrowRight', 'ArrowDown', 'ArrowLeft', 'ArrowUp']) {
    await page.keyboard.press(key)
    seen.walked ||= (await active(page)) !== from
  }
  await page.keyboard.press('Home')
  await settled(page)  // a click on what is drawn anew meanwhile hits nothing
  if (await page.$('#treemap .map-box.open .label') === null) return seen
  await page.click('#treemap .map-box.open .label')
  await page.waitForFunction(() => document.querySelectorAll('#treemap .map-step').length > 1, { timeout: 20_000 })
  seen.zoomed = { in: await steps(page) }
  await page.focus('#treemap-view')
  await page.keyboard.press('Escape')
  seen.zoomed.out = await steps(page)
  return seen
}

async function graphs(page) {
  const found = []
  for (const graph of await page.$$('#waitGraph .graph')) {
    const seen = await graph.evaluate((element) => {
      const shapes = [...element.querySelectorAll('.graph-node')].sort((a, b) => a.dataset.node - b.dataset.node)
      const nodes = shapes.map((shape) => {
        shape.focus()
        const facts = {}
        for (const name of element.querySelectorAll('.map-facts dt')) {
          (facts[name.textContent] ??= []).push(name.nextElementSibling.textContent)
        }
        return { name: element.querySelector('.map-name').textContent, member: shape.classList.contains('member'), facts }
      })
      const edges = [...element.querySelectorAll('.graph-edge[data-says]')].map(({ dataset }) =>
        [Number(dataset.from), Number(dataset.to), dataset.says])
      const crowds = [...element.querySelectorAll('.graph-crowd')].map(({ dataset }) => Number(dataset.count))
      shapes[0].focus()
      const title = element.querySelector('figcaption strong').textContent
      return { title, nodes, edges, crowds, words: element.querySelectorAll('.graph-list li').length }
    })
    await page.keyboard.press('ArrowDown')
    demand(seen.nodes.length < 2 || await graph.evaluate((element) => document.activeElement.dataset.node === '1' &&
      element.contains(document.activeElement)), 'arrows do not lead along the graph')
    found.push(seen)
  }
  return found
}

// The lowest contrast (WCAG) of the drawings' texts with their background.
const contrast = (page) => page.evaluate(() => {
  const canvas = document.createElement('canvas').getContext('2d', { willReadFrequently: true })
  const paint = (colour, opacity = 1) => {
    canvas.globalAlpha = opacity
    canvas.fillStyle = colour
    canvas.fillRect(0, 0, 1, 1)
  }
  const light = () => {
    const [r, g, b] = [...canvas.getImageData(0, 0, 1, 1).data].map((byte) =>
      (byte <= 10 ? byte / 255 / 12.92 : ((byte / 255 + 0.055) / 1.055) ** 2.4))
    return 0.2126 * r + 0.7152 * g + 0.0722 * b
  }
  const between = (behind, style, colour) => {
    paint(behind)
    const below = light()
    paint(colour, Number(style.opacity))
    const above = light()
    return (Math.max(above, below) + 0.05) / (Math.min(above, below) + 0.05)
  }
  const all = []
  for (const text of document.querySelectorAll('.map-box.named[role=treeitem] :is(.label, .amount)')) {
    const style = getComputedStyle(text)
    all.push(between(getComputedStyle(text.parentElement).backgroundColor, style, style.color))
  }
  for (const text of document.querySelectorAll(':is(.graph-node, .graph-crowd) :is(.title, .below)')) {
    const style = getComputedStyle(text)
    all.push(between(getComputedStyle(text.parentElement.querySelector('rect:last-of-type')).fill, style, style.fill))
  }
  return Math.min(...all)
})

const seen = await inBrowser(executable, async (page) => {
  const outside = requestsOutside(page)
  await page.setViewport({ width: 1280, height: 900 })
  await page.goto(pathToFileURL(file).href)
  await settled(page)
  const result = {}
  if (await page.$('#treemap')) Object.assign(result, await treemap(page))
  if (await page.$('#waitGraph')) result.graphs = await graphs(page)
  result.contrast = {}
  for (const theme of ['dark', 'light']) {
    await page.evaluate((name) => { document.documentElement.dataset.theme = name }, theme)
    result.contrast[theme] = await contrast(page)
  }
  if (pictures) {
    for (const theme of ['light', 'dark']) {
      await page.evaluate((name) => { document.documentElement.dataset.theme = name }, theme)
      for (const width of [1280, 2560, 390]) {
        await page.setViewport({ width, height: width === 390 ? 844 : 900 })
        await settled(page)
        for (const id of ['treemap', 'waitGraph']) {
          const element = await page.$(`#${id}`)
          if (element) await element.screenshot({ path: `${pictures}/${id}-${width}-${theme}.png` })
        }
      }
    }
  }
  await page.setViewport({ width: 390, height: 844 })
  await settled(page)
  result.wide = await page.evaluate(() => document.documentElement.scrollWidth - 390)
  return { ...result, ...outside }
})
console.log(JSON.stringify(seen))
