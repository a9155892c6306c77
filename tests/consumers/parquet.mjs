// node parquet.mjs FOLDER: has DuckDB run the script parquet-duckdb.sql of an export to CSV, in its folder, and prints how
// many rows each table has in Parquet, and what a query over partitions says:
// {"rows": {table: count}, "cpu": [[day, application, host, nanoseconds]]}.
import { DuckDBInstance } from '@duckdb/node-api'
import { readdirSync, readFileSync } from 'node:fs'

process.chdir(process.argv[2])
const connection = await (await DuckDBInstance.create(':memory:')).connect()
const script = await connection.extractStatements(readFileSync('parquet-duckdb.sql', 'utf-8'))
for (let i = 0; i < script.count; ++i) await (await script.prepare(i)).run()

const ask = async (sql) => (await connection.runAndReadAll(sql)).getRowsJson()
const table = (name) => `read_parquet('parquet/${name}/**/*.parquet', hive_partitioning = true)`
const rows = {}
for (const name of readdirSync('parquet')) {
  // A table without rows has a folder without files.
  if (readdirSync(`parquet/${name}`).length > 0) rows[name] = Number((await ask(`SELECT count(*) FROM ${table(name)}`))[0][0])
}
const cpu = await ask(`SELECT r.day, r.application, r.host, sum(s.cpu_ns)::BIGINT
  FROM ${table('cpu_samples')} s JOIN ${table('recordings')} r USING (recording)
  GROUP BY ALL ORDER BY r.host`)
console.log(JSON.stringify({ rows, cpu: cpu.map(([day, application, host, ns]) => [day, application, host, Number(ns)]) }))
