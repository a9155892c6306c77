// node flamegraph.mjs CHROMIUM FILE [SEARCH [PICTURES]]: opens a flame graph as a person would, and prints
// what it shows: {"total", "matched", "walk": from hit to hit, "zoomed": {"total", "name"}, "reset", "folded": total without the
// framework's frames, "requests": to anywhere but the file, "base": the baseline's total}.
// With PICTURES, screenshots in several widths go into that folder.
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { demand, inBrowser, requestsOutside } from './browser.mjs'

const [executable, file, search = '', pictures] = process.argv.slice(2)

async function settled(page) {
  await page.evaluate(() => new Promise((done) => setTimeout(() =>
    requestAnimationFrame(() => requestAnimationFrame(done)), 400)))
}

const number = (page, id) => page.$eval(id, (element) => Number(element.dataset.value))

// From hit to hit: what is shown about each, and whether it is visible. The last step leads on to the first.
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

// The address shows the same in a new tab.
async function expectLink(page) {
  await settled(page)
  const look = (one) => one.evaluate(() => JSON.stringify({ state: FlameState.of(flame), told: document.getElementById('matched').textContent,
    total: document.getElementById('total').dataset.value, path: [...document.querySelectorAll('#path .step')].map((step) => step.title),
    parts: flame.shown.map(({ view }) => [view.scroller.id, view.from, view.to, view.selected]),
    chips: [...document.querySelectorAll('.chip')].map((chip) => chip.getAttribute('aria-pressed')) }))
  const other = await page.browser().newPage()
  await other.setViewport({ width: 1280, height: 800 })
  await other.goto(await page.evaluate(() => location.href))
  await settled(other)
  const [here, there] = [await look(page), await look(other)]
  demand(JSON.parse(here).state.search || JSON.parse(here).state.zoom, `the address does not say what is shown: ${here}`)
  demand(here === there, `a link shows ${there} and not ${here}`)
  await other.close()
}

// What the buttons save: the two pictures show the same, and all calls of the zoom.
async function expectPictures(page, pictures) {
  const folder = mkdtempSync(join(tmpdir(), 'flame-'))
  const session = await page.createCDPSession()
  await session.send('Browser.setDownloadBehavior', { behavior: 'allow', downloadPath: folder, eventsEnabled: true })
  const saved = {}
  for (const kind of ['svg', 'png']) {
    const done = new Promise((resolve) => session.on('Browser.downloadProgress', ({ state }) => state === 'completed' && resolve()))
    await page.click(`#save-${kind}`)
    await done
    session.removeAllListeners('Browser.downloadProgress')
    const file = join(folder, `Shop-CPU-time.${kind}`)
    demand(existsSync(file), `nothing is saved as ${kind}`)
    saved[kind] = readFileSync(file).toString('base64')
  }
  rmSync(folder, { recursive: true })
  const seen = await page.evaluate(async ({ svg, png }) => {
    const load = async (type, base64) => {
      const image = new Image()
      image.src = `data:${type};base64,${base64}`
      await image.decode()
      return image
    }
    const [drawn, photographed] = [await load('image/svg+xml', svg), await load('image/png', png)]
    const pixels = (image) => {
      const canvas = document.createElement('canvas')
      canvas.width = photographed.width
      canvas.height = photographed.height
      const context = canvas.getContext('2d', { willReadFrequently: true })
      context.drawImage(image, 0, 0, canvas.width, canvas.height)
      return context.getImageData(0, 0, canvas.width, canvas.height).data
    }
    const [a, b] = [pixels(drawn), pixels(photographed)]
    let difference = 0
    for (let i = 0; i < a.length; ++i) difference += Math.abs(a[i] - b[i])
    const text = new TextDecoder().decode(Uint8Array.from(atob(svg), (character) => character.charCodeAt(0)))
    const image = new DOMParser().parseFromString(text, 'image/svg+xml')
    const { view } = flame
    const scale = view.canvas.clientWidth / (view.to - view.from)
    const isIn = (left, width) => (Math.min(left + width, view.to) - Math.max(left, view.from)) * scale >= 0.5
    return { difference: difference / a.length, scale: photographed.width / drawn.width, scripts: image.querySelectorAll('script').length,
      titles: [...image.querySelectorAll('.call title')].map((title) => title.textContent.replace(/: [^:]+$/, '')).sort(),
      calls: [...view.tree.parent.keys()].filter((node) => isIn(view.tree.left[node], view.tree.width[node])).map((node) => view.tree.name(node)).sort(),
      first: [...a.slice(0, 3)], words: image.documentElement.textContent }
  }, saved)
  demand(seen.scripts === 0 && seen.scale === 2, `a picture is ${JSON.stringify(seen)}`)
  demand(seen.titles.join('|') === seen.calls.join('|'), `the picture has ${seen.titles} and not ${seen.calls}`)
  demand(seen.difference < 4, `the pictures differ by ${seen.difference}`)
  demand(seen.words.includes('Shop: CPU time'), 'the picture has no title')
  if (pictures) (await import('node:fs')).writeFileSync(`${pictures}/saved.png`, Buffer.from(saved.png, 'base64'))
  return seen.titles.length
}

// Callers and callees of the function whose name ends with `name`, as sums by path, and what they are of: made here from the
// data of the page, without its scripts.
const expectedSandwich = (page, name) => page.evaluate((end) => {
  const { nodes, frames } = flame.data
  const frame = frames.name.findIndex((one) => one.endsWith(end))
  const way = (node) => (node === 0 ? [] : [...way(nodes.parent[node]), frames.name[nodes.frame[node]]])
  const sums = { callers: {}, callees: {} }
  let total = 0
  const add = (side, path, amount) => {
    for (let length = 1; length <= path.length; ++length) {
      const key = path.slice(0, length).join(' > ')
      sums[side][key] = (sums[side][key] ?? 0) + amount
    }
  }
  nodes.parent.forEach((_, node) => {
    const path = way(node)
    const at = path.indexOf(frames.name[frame])
    const amount = nodes.self[0][node]
    if (at < 0 || amount === 0) return
    total += amount
    add('callers', path.slice(0, at).reverse(), amount)
    add('callees', path.slice(at + 1), amount)
  })
  return { total, ...sums, calls: [...nodes.frame].filter((one, i) => i > 0 && one === frame).length }
}, name)

// The same, as it is shown.
const shownSandwich = (page) => page.evaluate(() => {
  const sums = {}
  for (const side of ['callers', 'callees']) {
    const { tree } = flame[side]
    const way = (node) => (node === 0 ? [] : [...way(tree.parent[node]), tree.name(node)])
    sums[side] = Object.fromEntries([...tree.parent.keys()].filter((node) => node > 0 && tree.amount(node, 0) > 0)
      .map((node) => [way(node).join(' > '), tree.amount(node, 0)]))
  }
  return { total: Number(document.getElementById('total').dataset.value), ...sums }
})

// Calls of f from two places, one of which comes back to f: {side: {path: total}}.
const recursion = (page) => page.evaluate(() => {
  const names = ['', 'a', 'b', 'f', 'g', 'h']
  const calls = [['a', 'f', 'g', 'f', 'h'], ['a', 'f', 'g', 'f'], ['b', 'f', 'h'], ['b', 'f'], ['b', 'h'], ['f']]
  const nodes = { parent: [0], frame: [0], self: [[0]], base: null }
  calls.forEach((path, i) => {
    let at = 0
    for (const name of path) {
      const frame = names.indexOf(name)
      const known = nodes.parent.findIndex((parent, node) => node > 0 && parent === at && nodes.frame[node] === frame)
      if (known < 0) {
        nodes.parent.push(at)
        nodes.frame.push(frame)
        nodes.self[0].push(0)
      }
      at = known < 0 ? nodes.parent.length - 1 : known
    }
    nodes.self[0][at] += 10 ** i
  })
  const data = { measures: [{ name: 'calls', unit: 'count' }], totals: [111111], baseTotals: null, kinds: ['application'], modules: [''],
    frames: { name: names, module: names.map(() => 0), kind: names.map(() => 0) }, nodes }
  const sides = Sandwich.of(new FlameTree(data), names.indexOf('f'))
  return Object.fromEntries(Object.entries(sides).map(([side, of]) => {
    const tree = new FlameTree(of)
    const way = (node) => (node === 0 ? tree.name(0) : `${way(tree.parent[node])} ${tree.name(node)}`)
    return [side, Object.fromEntries([...tree.parent.keys()].map((node) => [way(node), tree.amount(node, 0)]))]
  }))
})

const sorted = (sums) => JSON.stringify(Object.entries(sums).sort())

async function sandwich(page, name, pictures) {
  await page.type('#search', `${name.replaceAll('.', '\\.')}$`)
  await page.keyboard.press('Enter')
  await settled(page)
  await page.click('#open-sandwich')
  await settled(page)
  const [expected, seen] = [await expectedSandwich(page, name), await shownSandwich(page)]
  for (const side of ['callers', 'callees']) demand(sorted(seen[side]) === sorted(expected[side]), `${side} of ${name} are ${sorted(seen[side])} and not ${sorted(expected[side])}`)
  demand((await page.$eval('#matched', (told) => told.textContent)).startsWith('1 hit '), 'the function in the middle is not found')
  demand(seen.total === expected.total, `the total of ${name} is ${seen.total} and not ${expected.total}`)
  if (pictures) await page.screenshot({ path: `${pictures}/sandwich.png` })
  // The function is at the bottom of its callers; above it the first of them, a click away.
  const box = await (await page.$('#callers')).boundingBox()
  await page.mouse.click(box.x + 20, box.y + box.height - 33)
  await settled(page)
  const [first, path] = await page.evaluate(() => [flame.callers.tree.name(flame.callers.tree.children[0][0]),
    document.querySelector('#path .step:last-child').title])
  await expectLink(page)
  demand(first === path, `the callers are zoomed to ${path} and not to ${first}`)
  await page.focus('#callers')
  await page.keyboard.press('ArrowDown')
  demand((await page.$eval('#spoken', (spoken) => spoken.textContent)).includes(name), 'the keyboard does not come back to the function')
  if (pictures) {
    await page.setViewport({ width: 390, height: 844 })
    await settled(page)
    await page.screenshot({ path: `${pictures}/sandwich-390.png` })
    await page.setViewport({ width: 1280, height: 800 })
  }
  await page.keyboard.press('Escape')
  await settled(page)
  demand(await page.evaluate(() => !document.getElementById('flame').hidden && document.getElementById('sandwich').hidden), 'Escape does not lead back')
  await page.keyboard.press('Escape')
  await settled(page)
  return { total: seen.total, calls: expected.calls }
}

// Both recordings side by side: what is pointed at, selected and zoomed to in one is so in the other, a function has
// one colour, and a link shows the same.
async function sides(page, pictures) {
  await page.select('#widths', 'both')
  await settled(page)
  const drawn = (id) => page.$eval(`#${id} canvas`, (canvas) => {
    const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, 60)
    return data.some((byte) => byte !== 0)
  })
  demand(await drawn('before') && await drawn('after') && await page.$eval('#flame', (graph) => graph.hidden), 'the two graphs are not drawn')
  const result = await page.evaluate(() => {
    const { base, now } = flame.sides
    const functions = {}
    for (let node = 1; node < now.tree.size; ++node) {
      const name = now.tree.name(node)
      let at = now.tree.parent[node]
      while (at !== 0 && now.tree.name(at) !== name) at = now.tree.parent[at]
      if (at !== 0) continue
      // As it is drawn: its width is its share of its own recording.
      const amount = ({ tree }, which) => tree.width[node] * Number(document.getElementById(`${which}-total`).dataset.value)
      functions[name] = [(functions[name]?.[0] ?? 0) + amount(base, 'before'), (functions[name]?.[1] ?? 0) + amount(now, 'after')]
    }
    return { functions, before: Number(document.getElementById('before-total').dataset.value),
      after: Number(document.getElementById('after-total').dataset.value),
      oneColour: [...now.tree.frame.keys()].every((node) => now.colours(now.tree, node).fill === base.colours(base.tree, node).fill) }
  })
  // The first call below the root, in the right graph.
  const box = await (await page.$('#after')).boundingBox()
  await page.mouse.move(box.x + 20, box.y + 33)
  await settled(page)
  const pointed = () => page.evaluate(() => flame.sides.views.map(({ hovered, selected, zoomed }) => ({ hovered, selected, zoomed })))
  const [left, right] = await pointed()
  demand(right.hovered > 0 && left.hovered === right.hovered, `pointed at are ${left.hovered} and ${right.hovered}`)
  await page.mouse.click(box.x + 20, box.y + 33)
  await settled(page)
  const [base, now] = await pointed()
  demand(now.zoomed === right.hovered && base.zoomed === now.zoomed && base.selected === now.selected, `zoomed are ${JSON.stringify([base, now])}`)
  if (pictures) await page.screenshot({ path: `${pictures}/sides-zoom.png` })
  await expectLink(page)
  demand((await page.evaluate(() => location.hash)).includes('widths=both'), 'the address does not say that there are two')
  // From the left one back to all.
  await page.focus('#before')
  await page.keyboard.press('Escape')
  await settled(page)
  const all = await pointed()
  demand(all.every(({ zoomed }) => zoomed === 0), 'Escape does not lead back in both')
  if (pictures) {
    for (const theme of ['light', 'dark']) {
      for (const [width, height] of [[390, 844], [1280, 800], [1920, 1000]]) {
        await page.setViewport({ width, height })
        await settled(page)
        await page.screenshot({ path: `${pictures}/sides-${width}-${theme}.png` })
      }
      await page.click('#theme')
      await settled(page)
    }
    await page.setViewport({ width: 1280, height: 800 })
  }
  result.widest = {}
  for (const width of [390, 1280, 1920]) {
    await page.setViewport({ width, height: 800 })
    await settled(page)
    result.widest[width] = await page.evaluate(() => document.documentElement.scrollWidth)
  }
  await page.setViewport({ width: 1280, height: 800 })
  await page.select('#widths', 'now')
  await settled(page)
  demand(await page.evaluate(() => document.getElementById('sides').hidden && !document.getElementById('flame').hidden), 'one graph does not come back')
  return result
}

const seen = await inBrowser(executable, async (page) => {
  const outside = requestsOutside(page)
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
    await expectLink(page)
    await page.keyboard.press('Escape')
    await settled(page)
    demand(await page.$eval('#matched', (told) => told.textContent) === '', 'the search is not reset')
  }

  if (await page.evaluate(() => !flame.changes)) {
    const names = await page.evaluate(() => flame.data.frames.name.slice(1))
    result.sandwich = {}
    result.recursion = await recursion(page)
    for (const name of ['JIT_NewArr1', 'Server.Serve'].filter((end) => names.some((one) => one.endsWith(end)))) {
      result.sandwich[name] = await sandwich(page, name, pictures)
    }
  }

  // The first call of the root, by mouse; the tooltip shows its total, the path where we are.
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
  await expectLink(page)
  if (await page.evaluate(() => !flame.changes)) result.saved = await expectPictures(page, pictures)

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
    await settled(page)
    result.sides = await sides(page, pictures)
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
  return { ...result, ...outside }
})
console.log(JSON.stringify(seen))
