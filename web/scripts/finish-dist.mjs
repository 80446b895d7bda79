// Last step of the build: checks what the first loads of the page and of services' page cost, puts them and the frame of diagrams together, then writes
// a .gz beside each text file so that the server never compresses while somebody waits, drops what nobody asks for, and puts
// the finished page in place of the last one: Go code that embeds dist can be compiled at any time.
import { createHash } from "node:crypto"
import { copyFile, mkdir, readFile, readdir, rename, rm, writeFile } from "node:fs/promises"
import { extname, join } from "node:path"
import { gzipSync } from "node:zlib"

/**
 * The pages: what they begin with, which other files they ask for at once, and the gzipped bytes a first visit may load before
 * the page can be used (DESIGN §14). `needs` is what is split off but needed as soon as there is an answer. Not the editor: a
 * plain text area serves until it is there; not what draws code and formulas: the text is readable before.
 */
const page = { built: ".page", entry: "index.html", beside: ["theme.js", "icon.svg"], needs: /\/Markdown\.tsx$/, limit: 250 * 1000 }
const servicePage = { built: ".service", entry: "service.html", beside: ["theme.js", "icon.svg"], needs: /\/Answer\.tsx$/, limit: 120 * 1000 }

const dist = new URL("../dist", import.meta.url).pathname
const modules = new URL("../node_modules", import.meta.url).pathname
const built = join(modules, page.built)
const last = join(modules, ".page-last")
const text = new Set([".html", ".js", ".css", ".svg", ".json"])

/** Everything a page asks for, and everything those modules import, at once or as soon as they run. */
async function firstLoad({ built, entry, beside, needs }) {
  const manifest = JSON.parse(await readFile(join(modules, built, ".vite/manifest.json"), "utf8"))
  const files = new Set([entry, ...beside])
  const seen = new Set()
  const visit = (key) => {
    if (seen.has(key)) return
    seen.add(key)
    const chunk = manifest[key]
    files.add(chunk.file)
    for (const css of chunk.css ?? []) files.add(css)
    for (const next of chunk.imports ?? []) visit(next)
    for (const next of chunk.dynamicImports ?? []) if (needs.test(next)) visit(next)
  }
  visit(entry)
  return [...files]
}

/** Both pages ask for what stands in public, which is built once. */
const placeOf = ({ built, beside }, file) => join(modules, beside.includes(file) ? page.built : built, file)

async function checkFirstLoad(page) {
  let total = 0
  for (const file of await firstLoad(page)) {
    const size = gzipSync(await readFile(placeOf(page, file)), { level: 9 }).length
    total += size
    console.log(`${(size / 1000).toFixed(1).padStart(8)} kB  ${file}`)
  }
  console.log(`${(total / 1000).toFixed(1).padStart(8)} kB  first load of ${page.entry}, gzipped (limit ${page.limit / 1000} kB)`)
  if (total > page.limit) throw new Error(`The first load of ${page.entry} is over its limit: load the new part when it is needed.`)
}

/** Files of the same name in two builds are identical: names contain a hash of the content. */
async function add(folder, entry) {
  const from = join(modules, folder)
  await copyFile(join(from, entry), join(built, entry))
  for (const name of await readdir(join(from, "assets"))) await copyFile(join(from, "assets", name), join(built, "assets", name))
  await rm(from, { recursive: true })
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

await checkFirstLoad(page)
await checkFirstLoad(servicePage)
await add(servicePage.built, servicePage.entry)
await add(".diagram", "diagram.html")
await dropOldFonts()
await markServiceWorker()
await precompress()
await rm(join(built, ".vite"), { recursive: true })
await putInPlace()
