import { readdirSync, readFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { expect, test } from "vitest"

const src = new URL("../src", import.meta.url).pathname
const files = readdirSync(src, { recursive: true }).filter((name) => /(?<!\.d)\.tsx?$/.test(name))
const known = new Set(files)

/** The files of src that a file imports: at once, later, or for their types. */
function importsOf(file) {
  const text = readFileSync(join(src, file), "utf8")
  return [...text.matchAll(/\b(?:from|import|import\(|new URL\()\s*"(\.[^"?]+)/g)].flatMap(([, path]) => {
    const at = join(dirname(file), path)
    return [at, `${at}.ts`, `${at}.tsx`, `${at}/index.ts`].filter((name) => known.has(name))
  })
}

/** Which part of src imports which other ones. */
function graphOf(partOf) {
  const graph = new Map(files.map((file) => [partOf(file), new Set()]))
  for (const file of files) for (const next of importsOf(file)) if (partOf(next) !== partOf(file)) graph.get(partOf(file)).add(partOf(next))
  return graph
}

/** The parts of a circle in their order; undefined: there is none. */
function circleOf(graph) {
  const done = new Set()
  const visit = (part, way) => {
    if (way.includes(part)) return [...way.slice(way.indexOf(part)), part]
    if (done.has(part)) return undefined
    done.add(part)
    for (const next of graph.get(part)) {
      const circle = visit(next, [...way, part])
      if (circle) return circle
    }
    return undefined
  }
  for (const part of graph.keys()) {
    const circle = visit(part, [])
    if (circle) return circle
  }
  return undefined
}

test.each([
  ["file", (file) => file],
  ["folder", dirname],
  ["folder of src", (file) => file.split("/")[0]],
])("no %s imports itself by way of another one", (_, partOf) => {
  expect(circleOf(graphOf(partOf))).toBeUndefined()
})

test("a circle is found", () => {
  const graph = new Map(Object.entries({ a: ["b"], b: ["c", "d"], c: [], d: ["b"] }))
  expect(circleOf(graph)).toEqual(["b", "d", "b"])
  expect(importsOf("main.tsx")).toContain("app/router.tsx")
})
