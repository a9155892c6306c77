// node trace.mjs FILE: has the code of Chrome's performance panel read FILE, and prints what it made of it:
// {"process", "threads": {name: {category: {"count", "outermost": microseconds}}}}.
import { readFileSync } from 'node:fs'
import { analyzeEvents } from '@paulirish/trace_engine/analyze-trace.mjs'

const file = JSON.parse(readFileSync(process.argv[2], 'utf-8'))
const { parsedTrace } = await analyzeEvents(file.traceEvents)
const { Renderer, Meta } = parsedTrace.data
const seen = { process: [...Meta.processNames.values()].map((event) => event.args.name), threads: {} }
for (const process of Renderer.processes.values()) {
  for (const thread of process.threads.values()) {
    const categories = {}
    let end = -Infinity
    for (const event of thread.entries) {
      const category = (categories[event.cat] ??= { count: 0, outermost: 0 })
      ++category.count
      if (event.ph !== 'X' || event.ts < end) continue
      end = event.ts + event.dur
      category.outermost += event.dur
    }
    seen.threads[thread.name ?? '?'] = categories
  }
}
console.log(JSON.stringify(seen))
