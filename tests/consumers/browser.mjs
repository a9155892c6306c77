// Chromium without a window, for the checks in this folder.
import puppeteer from 'puppeteer-core'

export function demand(condition, sentence) {
  if (condition) return
  console.error(sentence)
  process.exit(1)
}

// A page on which every error fails the check, except those on the console that match `expected`. `run(page)`.
export async function inBrowser(executable, run, expected = /^$/) {
  const browser = await puppeteer.launch({
    executablePath: executable,
    headless: true,
    args: ['--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage', '--allow-file-access-from-files'],
  })
  try {
    const page = await browser.newPage()
    const errors = []
    page.on('pageerror', (error) => errors.push(String(error)))
    page.on('console', (message) => {
      if (message.type() === 'error' && !expected.test(message.text())) errors.push(message.text())
    })
    const result = await run(page)
    demand(errors.length === 0, `errors on the page: ${errors.join('; ')}`)
    return result
  } finally {
    await browser.close()
  }
}

// {requests}: those of the page to anywhere but files, from now on.
export function requestsOutside(page) {
  const seen = { requests: 0 }
  page.on('request', (request) => {
    if (!request.url().startsWith('file:') && !request.url().startsWith('data:')) ++seen.requests
  })
  return seen
}

// {alerts}: dialogs of the page from now on, each of which is dismissed.
export function alertsOf(page) {
  const seen = { alerts: 0 }
  page.on('dialog', (dialog) => {
    ++seen.alerts
    dialog.dismiss()
  })
  return seen
}
