// Last step of the build: checks what the first load costs, then writes a .gz beside each text file so that the server
// never compresses while somebody waits, drops what nobody asks for, and puts the finished page in place of the last one:
// Go code that embeds dist can be compiled at any time.
import { createHash } from "node:crypto"
import { mkdir, readFile, readdir, rename, rm, writeFile } from "node:fs/promises"
import { extname, join } from "node:path"
import { gzipSync } from "node:zlib"

/** Gzipped bytes a first visit may load before the page can be used (DESIGN §14). */
const FIRST_LOAD_LIMIT = 250 * 1000

/**
 * What is split off but needed as soon as there is an answer. Not the editor: a plain text area serves until it is there;
 * not what draws code and formulas: the text is readable before.
 */
const FIRST_NEEDS = /\/Markdown\.tsx$/

const dist = new URL("../dist", import.meta.url).pathname
const built = new URL("../node_modules/.page", import.meta.url).pathname
const last = new URL("../node_modules/.page-last", import.meta.url).pathname
const text = new Set([".html", ".js", ".css", ".svg", ".json"])

/** Everything index.html asks for, and everything those modules import, at once or as soon as they run. */
async function firstLoad() {
  const manifest = JSON.parse(await readFile(join(built, ".vite/manifest.json"), "utf8"))
  const files = new Set(["index.html", "theme.js", "icon.svg"])
  const seen = new Set()
  const visit = (key) => {
    if (seen.has(key)) return
    seen.add(key)
    const chunk = manifest[key]
    files.add(chunk.file)
    for (const css of chunk.css ?? []) files.add(css)
    for (const next of chunk.imports ?? []) visit(next)
    for (const next of chunk.dynamicImports ?? []) if (FIRST_NEEDS.test(next)) visit(next)
  }
  visit("index.html")
  return [...files]
}

async function gzippedSize(file) {
  return gzipSync(await readFile(join(built, file)), { level: 9 }).length
}

async function checkFirstLoad() {
  let total = 0
  for (const file of await firstLoad()) {
    const size = await gzippedSize(file)
    total += size
    console.log(`${(size / 1000).toFixed(1).padStart(8)} kB  ${file}`)
  }
  console.log(`${(total / 1000).toFixed(1).padStart(8)} kB  first load, gzipped (limit ${FIRST_LOAD_LIMIT / 1000} kB)`)
  if (total > FIRST_LOAD_LIMIT) throw new Error("The first load is over its limit: load the new part when it is needed.")
}

async function precompress() {
  for (const entry of await readdir(built, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile() || !text.has(extname(entry.name))) continue
    const path = join(entry.parentPath, entry.name)
    const raw = await readFile(path)
    const packed = gzipSync(raw, { level: 9 })
    if (packed.length < raw.length * 0.9) await writeFile(path + ".gz", packed)
  }
}

/** Every browser that the page supports reads woff2, which the style sheet names first. */
async function dropOldFonts() {
  for (const name of await readdir(join(built, "assets"))) {
    if (/\.(ttf|woff)$/.test(name)) await rm(join(built, "assets", name))
  }
}

/** A page of another build has another service worker, whose cache begins empty. */
async function markServiceWorker() {
  const worker = join(built, "sw.js")
  const build = createHash("sha256").update(await readFile(join(built, "index.html"))).digest("hex").slice(0, 16)
  await writeFile(worker, (await readFile(worker, "utf8")).replace("BUILD\"", `${build}"`))
}

async function putInPlace() {
  await rm(last, { recursive: true, force: true })
  await mkdir(dist, { recursive: true }) // gone if a build was killed here
  await rename(dist, last)
  await rename(built, dist)
  await rm(last, { recursive: true })
}

await checkFirstLoad()
await dropOldFonts()
await markServiceWorker()
await precompress()
await rm(join(built, ".vite"), { recursive: true })
await putInPlace()
