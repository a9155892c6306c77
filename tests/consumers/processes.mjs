// node processes.mjs CHROMIUM URL [PICTURES]: the list of processes on the page of `hindsight serve`, over a fake
// trigger (explorer_processes_test.cc): records the process 4242, takes a snapshot, stops, and is refused once.
// Prints {"before": [recordings], "after", "processes": [texts], "live", "recorded", "snapshot", "stopped",
//  "refused": what the trigger says, "foreign": status of a POST of another page, "widest", "contrast", "alerts"}.
import { mkdirSync } from 'node:fs'
import { alertsOf, demand, inBrowser } from './browser.mjs'
import { leastContrast } from './contrast.mjs'

const [executable, url, pictures] = process.argv.slice(2)
if (pictures) mkdirSync(pictures, { recursive: true })

const said = (page) => page.$eval('[data-pid="4242"] .said', (text) => text.textContent)
const recordings = (page) => page.$$eval('[data-recording]', (cards) => cards.map((card) => card.dataset.recording))
async function click(page, button, expected) {
  await page.click(`[data-pid="4242"] ${button}`)
  await page.waitForFunction((text) => document.querySelector('[data-pid="4242"] .said').textContent.includes(text), {}, expected)
  return said(page)
}

const seen = await inBrowser(executable, async (page) => {
  const result = { widest: {}, contrast: {} }
  const dismissed = alertsOf(page)
  await page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: 'light' }, { name: 'prefers-reduced-motion', value: 'reduce' }])
  await page.setViewport({ width: 1280, height: 900 })
  await page.goto(url)
  await page.waitForSelector('[data-pid="4242"]')
  result.before = await recordings(page)
  result.processes = await page.$$eval('.process', (cards) => cards.map((card) => card.querySelector('h3').textContent))
  demand(await page.$eval('[data-pid="4242"] [data-verb="stop"]', (button) => button.disabled), 'what is not recorded can be stopped')

  // A choice is kept while the list is refreshed.
  await page.select('[data-pid="4242"] select[name="for"]', '10s')
  await page.waitForResponse((response) => response.url().includes('api/processes'))
  await page.waitForResponse((response) => response.url().includes('api/processes'))
  demand(await page.$eval('[data-pid="4242"] select[name="for"]', (select) => select.value === '10s'), 'the choice was lost')
  result.recorded = await click(page, '[data-verb="record"]', 'Recording process 4242')
  await page.waitForFunction(() => document.querySelector('[data-pid="4242"] .live').textContent.includes('events'))
  result.live = await page.$eval('[data-pid="4242"] .live', (text) => text.textContent)
  demand(await page.$eval('[data-pid="4242"] [data-verb="record"]', (button) => button.disabled), 'what is recorded can be recorded again')
  for (const theme of ['light', 'dark']) {
    await page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: theme }, { name: 'prefers-reduced-motion', value: 'reduce' }])
    for (const width of [390, 1280, 1920, 2560]) {
      await page.setViewport({ width, height: width === 390 ? 844 : 1000 })
      result.widest[`processes ${width}`] = await page.evaluate(() => document.documentElement.scrollWidth)
      if (pictures) await page.screenshot({ path: `${pictures}/processes-${width}-${theme}.png` })
    }
    result.contrast[theme] = await leastContrast(page)
  }
  result.snapshot = await click(page, '[data-of="heap"]', 'Heap of process 4242')
  result.stopped = await click(page, '[data-verb="stop"]', 'is complete')
  await page.waitForFunction((count) => document.querySelectorAll('[data-recording]').length > count, {}, result.before.length)
  result.after = await recordings(page)
  result.refused = await click(page, '[data-of="threads"]', 'exit code')
  demand(await page.$eval('[data-pid="4242"] .said', (text) => text.classList.contains('failed')), 'a refusal looks like success')
  demand(await page.evaluate(() => document.querySelector('main script, main img, main b') === null), 'a name became markup')

  // A page of another origin that knows the address is refused.
  const other = await page.browser().newPage()
  await other.goto('data:text/html,<p>another page')
  result.foreign = await other.evaluate(async (address) => {
    await fetch(`${address}do/record?pid=4242&what=usual&for=stopped`, { method: 'POST', mode: 'no-cors' }).catch(() => null)
    return 'asked'
  }, url)
  return { ...result, ...dismissed }
})
console.log(JSON.stringify(seen))
