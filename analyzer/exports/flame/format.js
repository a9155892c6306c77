// Amounts, shares and names in readable form.
const Format = {
  amount(value, unit) {
    if (unit === 'nanoseconds') return Format.duration(value)
    if (unit === 'bytes') return Format.bytes(value)
    return Format.count(value)
  },

  count(value) { return Math.round(value).toLocaleString('en-US') },

  duration(nanoseconds) {
    const steps = [[1, 'ns'], [1e3, 'µs'], [1e6, 'ms'], [1e9, 's']]
    if (nanoseconds >= 120e9) {
      const seconds = Math.round(nanoseconds / 1e9)
      const minutes = Math.floor(seconds / 60)
      return minutes < 120 ? `${minutes} m ${String(seconds % 60).padStart(2, '0')} s`
        : `${Math.floor(minutes / 60)} h ${String(minutes % 60).padStart(2, '0')} m`
    }
    return Format.scaled(nanoseconds, steps)
  },

  bytes(value) {
    return Format.scaled(value, [[1, 'B'], [2 ** 10, 'KiB'], [2 ** 20, 'MiB'], [2 ** 30, 'GiB'],
      [2 ** 40, 'TiB']])
  },

  scaled(value, steps) {
    let [step, name] = steps[0]
    for (const [next, unit] of steps) if (value >= next) [step, name] = [next, unit]
    const scaled = value / step
    const digits = step === 1 || scaled >= 100 ? 0 : scaled >= 10 ? 1 : 2
    return `${scaled.toFixed(digits)} ${name}`
  },

  percent(share) {
    const percent = share * 100
    if (percent !== 0 && Math.abs(percent) < 0.01) return '<0.01 %'
    return `${percent.toFixed(Math.abs(percent) < 1 ? 2 : 1)} %`
  },

  // Percentage points of the whole, with a sign.
  change(share) {
    const points = share * 100
    if (Math.abs(points) < 0.005) return '±0'
    return `${points > 0 ? '+' : '−'}${Math.abs(points).toFixed(Math.abs(points) < 1 ? 2 : 1)} points`
  },

  // Shorter and shorter forms of a method's name: without namespaces, then without its type. For a
  // native function (library!symbol): without the library. A library alone has no shorter name.
  forms(name) {
    const bang = name.indexOf('!')
    if (bang > 0) return [name, name.slice(bang + 1)]
    if (/\.so(\.\d+)*$/.test(name)) return [name]
    const forms = [name]
    const dots = []  // outside of brackets
    let depth = 0
    for (let at = 0; at < name.length; ++at) {
      if ('<(['.includes(name[at])) ++depth
      else if ('>)]'.includes(name[at])) --depth
      else if (name[at] === '.' && depth === 0 && at > 0 && name[at - 1] !== '.') dots.push(at)
    }
    if (dots.length >= 2) forms.push(name.slice(dots[dots.length - 2] + 1))
    if (dots.length >= 1) forms.push(name.slice(dots[dots.length - 1] + 1))
    return forms
  },
}
