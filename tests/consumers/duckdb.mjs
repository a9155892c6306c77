// node duckdb.mjs [-bail] [-cmd COMMAND] [-c COMMAND]: DuckDB's engine behind as much of its own program's command line as
// Hindsight and its documentation use, since npm has the engine only. Ends with 1 at the first error. With -json, what the
// last statement says is printed as [[cell]].
import { DuckDBInstance } from '@duckdb/node-api'
import { readFileSync } from 'node:fs'

const connection = await (await DuckDBInstance.create(':memory:')).connect()
let last = []

async function run(command) {
  const file = command.match(/^\.read (.+)$/)
  const statements = await connection.extractStatements(file ? readFileSync(file[1], 'utf-8') : command)
  for (let i = 0; i < statements.count; ++i) {
    last = (await (await statements.prepare(i)).runAndReadAll()).getRowsJson()
  }
}

const words = process.argv.slice(2)
try {
  while (words.length > 0) {
    const word = words.shift()
    if (word === '-cmd' || word === '-c') await run(words.shift())
    else if (word !== '-bail' && word !== '-json') throw new Error(`unknown option ${word}`)
  }
} catch (error) {
  console.error(error.message)
  process.exit(1)
}
if (process.argv.includes('-json')) console.log(JSON.stringify(last))
