// node speedscope.mjs CHROMIUM FILE FOLDER: has speedscope itself import FILE, as its own command line does,
// and prints the rows of its table of functions: [[total, self, name], ...] as it shows them. FOLDER is for
// the files that it reads.
import { readFileSync, writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { demand, inBrowser } from './browser.mjs'

const [executable, file, folder] = process.argv.slice(2)
const here = dirname(fileURLToPath(import.meta.url))
const release = join(here, 'node_modules/speedscope/dist/release')
const script = join(folder, 'profile.js')
writeFileSync(script, `speedscope.loadFileFromBase64(${JSON.stringify(basename(file))}, ${
  JSON.stringify(readFileSync(file).toString('base64'))})`)

const rows = await inBrowser(executable, async (page) => {
  await page.setViewport({ width: 1280, height: 4000 })
  await page.goto(`${pathToFileURL(join(release, 'index.html')).href}#localProfilePath=${script}`)
  const tab = 'div ::-p-text(Sandwich)'
  await (await page.waitForSelector(tab, { timeout: 60000 })).click()
  await page.waitForSelector('table')
  return page.$$eval('table tr', (table) => table.map((row) =>
    [...row.children].map((cell) => cell.innerText.trim())))
})
demand(rows.length > 1, 'speedscope shows no functions')
console.log(JSON.stringify(rows))
