// node clicks.mjs CHROMIUM URL: follows the clicks of docs/explorer.md ("From a problem to its cause") in a recording of
// the Shop with five problems, each from the list of recordings on, and prints where they end:
// {problem: {"clicks", "seconds", "seen": whether what they lead to is visible in the window}}.
import { demand, inBrowser } from './browser.mjs'

const [executable, url] = process.argv.slice(2)

// Each step: a selector, and the text of the element to click; a text after `type` is put into the field of the selector.
const ways = {
  leak: { steps: [['.recording a', 'Heap: changes'], ['[data-list="changes"] .filter', '', 'PriceText'], ['[data-list="changes"] a', 'Shop.Catalogue.PriceText'], ['[data-list="instances"] a', '0x']],
    truth: /PriceTexts\.made_/ },
  'hot method': { steps: [['.recording h3 a', 'Shop'], ['nav a', 'CPU time']], truth: /Shop\.Catalogue\.SearchIndex\.Score/ },
  'lock contention': { steps: [['.recording h3 a', 'Shop'], ['nav a', 'Locks and waits']], truth: /Shop\.Stock\.StockBook\.(Count|Reserve)/ },
  'failing route': { steps: [['.recording h3 a', 'Shop'], ['nav a', 'Exceptions']], truth: /KeyNotFoundException\s+in Shop\.Orders\.InvoiceWriter\.PriceOf/ },
  'stuck task': { steps: [['.recording h3 a', 'Shop'], ['nav a', 'Unfinished async work'], ['#tasks .filter', '', 'Shop.']],
    truth: /Shop\.Orders\.Confirmations\.SendWhenConfirmed/ },
}

const still = (page) => page.evaluate(() => new Promise((done) => setTimeout(() => requestAnimationFrame(() => requestAnimationFrame(done)), 250)))

// Texts that are inside the window and not covered.
const inWindow = (page) => page.evaluate(() => {
  const texts = []
  for (const element of document.querySelectorAll('main td, main th, main li, main p, main dd')) {
    const box = element.getBoundingClientRect()
    if (box.width > 0 && box.height > 0 && box.top >= 0 && box.bottom <= innerHeight && box.left >= 0 && box.left < innerWidth) texts.push(element.innerText)
  }
  return texts.join('\n')
})

async function follow(page, { steps, truth }) {
  await page.goto(url)
  await page.waitForSelector('.recording h3 a')
  await still(page)
  const start = performance.now()
  for (const [selector, text, typed] of steps) {
    const find = (one, words) => [...document.querySelectorAll(one)].find((element) => element.getClientRects().length > 0
      && element.textContent.trim().startsWith(words))
    await page.waitForFunction(find, { timeout: 30_000 }, selector, text)
    const target = (await page.evaluateHandle(find, selector, text)).asElement()
    const before = page.url()
    await target.click()
    if (typed) {
      await page.keyboard.type(typed)
    } else {
      await page.waitForFunction((old) => location.href !== old, {}, before)
    }
    await page.waitForFunction(() => document.readyState === 'complete')
    await still(page)
  }
  let seen = ''
  for (let i = 0; i < 40 && !truth.test(seen); ++i) {
    seen = await inWindow(page)
    await still(page)
  }
  return { clicks: steps.length, seconds: (performance.now() - start) / 1000, seen: truth.test(seen), texts: truth.test(seen) ? '' : seen.slice(0, 2000) }
}

const result = await inBrowser(executable, async (page) => {
  await page.emulateMediaFeatures([{ name: 'prefers-reduced-motion', value: 'reduce' }])
  await page.setViewport({ width: 1280, height: 900 })
  const ends = {}
  for (const [problem, way] of Object.entries(ways)) ends[problem] = await follow(page, way)
  return ends
})
demand(Object.keys(result).length === Object.keys(ways).length, 'a way is missing')
console.log(JSON.stringify(result))
