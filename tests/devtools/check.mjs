// node check.mjs FILE: loads FILE as Chrome's developer tools do and prints what they make of it:
//   {"nodes", "edges", "total": bytes, "retained": {node id: bytes}, "names": {node id: name},
//    "outgoing": {node id: [[edge type, name, id], ...]}, "unreached": nodes}
// Before that it strictly checks the file against the format: an error is a sentence on stderr.
import { createReadStream, readFileSync } from 'node:fs'
import { parse } from 'heap-snapshot-toolkit'

function demand(condition, sentence) {
  if (condition) return
  console.error(sentence)
  process.exit(1)
}

const file = process.argv[2]
const raw = JSON.parse(readFileSync(file, 'utf-8'))
const meta = raw.snapshot.meta
const nodeFields = meta.node_fields.length
const edgeFields = meta.edge_fields.length
demand(raw.nodes.length === raw.snapshot.node_count * nodeFields, 'nodes: not as many as node_count')
demand(raw.edges.length === raw.snapshot.edge_count * edgeFields, 'edges: not as many as edge_count')
demand(meta.node_types.length <= nodeFields, 'node_types: more than fields')

const ids = new Set()
let edges = 0
for (let i = 0; i < raw.nodes.length; i += nodeFields) {
  const [type, name, id, size, count] = raw.nodes.slice(i, i + 5)
  demand(meta.node_types[0][type] !== undefined, `node ${i}: type ${type}`)
  demand(typeof raw.strings[name] === 'string', `node ${i}: name ${name}`)
  demand(!ids.has(id), `node ${i}: id ${id} again`)
  demand(Number.isInteger(size) && size >= 0 && size <= 0xffffffff, `node ${i}: size ${size}`)
  ids.add(id)
  edges += count
}
demand(edges === raw.snapshot.edge_count, 'edge counts of the nodes: another sum than edge_count')
for (let i = 0; i < raw.edges.length; i += edgeFields) {
  const [type, name, to] = raw.edges.slice(i, i + 3)
  const kind = meta.edge_types[0][type]
  demand(kind !== undefined, `edge ${i}: type ${type}`)
  demand(kind === 'element' || typeof raw.strings[name] === 'string', `edge ${i}: name ${name}`)
  demand(to % nodeFields === 0 && to < raw.nodes.length, `edge ${i}: to ${to}`)
}

const snapshot = await parse(createReadStream(file, 'utf-8'))
const seen = { nodes: snapshot.nodeCount, edges: snapshot.snapshot?.edge_count ?? edges,
  total: snapshot.totalSize, retained: {}, names: {}, outgoing: {}, unreached: 0 }
for (let it = snapshot.allNodes(); it.hasNext(); it.next()) {
  const node = it.item()
  seen.retained[node.id()] = node.retainedSize()
  seen.names[node.id()] = node.name()
  if (node.distance() < 0) ++seen.unreached
  const outgoing = []
  for (let edge = node.edges(); edge.hasNext(); edge.next()) {
    outgoing.push([edge.edge.type(), String(edge.edge.name()), edge.edge.node().id()])
  }
  seen.outgoing[node.id()] = outgoing
}
console.log(JSON.stringify(seen))
