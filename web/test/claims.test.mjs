import { readdirSync } from "node:fs"
import { expect, test } from "vitest"

import { all, claimsAt, PLACES } from "./claims.mjs"

const folder = new URL(".", import.meta.url)

test("every file of claims is listed, and all of its claims have a place", () => {
  const programs = ["browser.mjs", "claims.mjs", "claims.test.mjs", "imports.test.mjs", "mcp.mjs", "openai.mjs", "openaitools.mjs", "screenshots.mjs", "temporal.mjs"] // run by themselves
  const files = readdirSync(folder).filter((name) => name.endsWith(".mjs") && !programs.includes(name))
  expect(Object.keys(all).sort()).toEqual(files.map((name) => name.replace(".mjs", "")).sort())
  for (const [file, exported] of Object.entries(all)) {
    const objects = Object.entries(exported).flatMap(([name, value]) => (typeof value === "object" ? [name] : []))
    expect(objects, file).not.toEqual([])
    expect(PLACES, file).toEqual(expect.arrayContaining(objects))
  }
})

test("no two claims have the same sentence", () => {
  const sentences = claimsAt(...PLACES).map(({ claim }) => claim)
  expect(new Set(sentences).size).toBe(sentences.length)
})
