// The lowest contrast of a text with its background, and the text.
export const leastContrast = (page) => page.evaluate(() => {
  // rgb(1, 2, 3), or color(srgb 0.1 0.2 0.3 / 0.5).
  const channels = (colour) => colour.match(/[\d.]+/g).map((part, i) => Number(part) * (i < 3 && colour.startsWith('color') ? 255 : 1))
  const luminance = ([r, g, b]) => [r, g, b].map((c) => c / 255)
    .map((c) => (c <= 0.03928 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4))
    .reduce((sum, c, i) => sum + c * [0.2126, 0.7152, 0.0722][i], 0)
  const behind = (element) => {
    for (let at = element; at; at = at.parentElement) {
      const colour = channels(getComputedStyle(at).backgroundColor)
      if (colour.length < 4 || colour[3] === 1) return colour
    }
    return [255, 255, 255]
  }
  let least = { ratio: 21, text: '' }
  for (const element of document.querySelectorAll('body *')) {
    const text = [...element.childNodes].filter((node) => node.nodeType === Node.TEXT_NODE).map((node) => node.data).join('').trim()
    if (text === '' || !element.checkVisibility() || element.closest('svg, script, :disabled, [aria-pressed=false]')) continue
    const [a, b] = [luminance(channels(getComputedStyle(element).color)), luminance(behind(element))]
    const ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05)
    if (ratio < least.ratio) least = { ratio, text: text.slice(0, 60) }
  }
  return least
})
