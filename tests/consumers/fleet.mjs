// node fleet.mjs CHROMIUM FILE [PICTURES]: opens the report of a fleet as a person would, and prints what it shows:
// {"title", "verdict", "sections": [ids], "links": [ids], "findings": [{severity, title, texts, command}],
// "tables": {list: {columns, rows: [[numbers and texts]]}}, "found": rows of all findings after a search,
// "requests": to anywhere but the file, "alerts": of a name that was taken for markup, "widest": {width: pixels that
// the page takes}, "contrast": the least}. With PICTURES, a screenshot goes into that folder.
import { mkdirSync } from 'node:fs'
import { pathToFileURL } from 'node:url'
import { alertsOf, inBrowser, requestsOutside } from './browser.mjs'
import { leastContrast } from './contrast.mjs'

const [executable, file, pictures] = process.argv.slice(2)
if (pictures) mkdirSync(pictures, { recursive: true })

const seen = await inBrowser(executable, async (page) => {
  const outside = requestsOutside(page)
  const dismissed = alertsOf(page)
  await page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: 'light' }, { name: 'prefers-reduced-motion', value: 'reduce' }])
  await page.setViewport({ width: 1280, height: 900 })
  await page.goto(pathToFileURL(file).href)
  const result = await page.evaluate(() => ({
    title: document.querySelector('h1').textContent,
    verdict: document.querySelector('.verdict').firstChild.textContent,
    sections: [...document.querySelectorAll('main > section')].map((section) => section.id),
    links: [...document.querySelectorAll('#contents a')].map((link) => link.hash.slice(1)),
    findings: [...document.querySelectorAll('#findings .finding')].map((card) => ({
      severity: card.dataset.severity, title: card.querySelector('h3').textContent,
      texts: [...card.querySelectorAll('p')].map((text) => text.textContent),
      command: card.querySelector('.command code').textContent })),
    tables: Object.fromEntries([...document.querySelectorAll('.table')].map((table) => [table.dataset.list, {
      columns: [...table.querySelectorAll('thead button')].map((button) => button.textContent),
      rows: [...table.querySelectorAll('tbody tr')].map((row) => [...row.cells].map((cell) =>
        (cell.dataset.value !== undefined ? (cell.dataset.value === '' ? null : Number(cell.dataset.value))
          : (cell.querySelector('span.name') ?? cell).textContent)))}])),
  }))
  if (pictures) await page.screenshot({ path: `${pictures}/fleet.png`, fullPage: true })
  result.contrast = (await leastContrast(page)).ratio
  result.widest = {}
  for (const width of [390, 800, 1280]) {
    await page.setViewport({ width, height: 900 })
    result.widest[width] = await page.evaluate(() => document.documentElement.scrollWidth)
  }
  return { ...result, ...outside, ...dismissed }
})
console.log(JSON.stringify(seen))
