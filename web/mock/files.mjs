// Files of the mock: those in the folder where its Shell runs.
import { createHash } from "node:crypto"
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs"
import { basename, dirname, extname, join, relative, resolve } from "node:path"

import { HttpProblem } from "./http.mjs"
import { workspace } from "./tools.mjs"

/** The real path of one that a client named. */
function inside(path) {
  const whole = resolve(workspace, path)
  if (relative(workspace, whole).startsWith("..")) throw new HttpProblem(403, "This path is outside of the workspace.")
  if (!existsSync(whole)) throw new HttpProblem(404, `${path} does not exist.`)
  return whole
}

export function folder(path) {
  const whole = inside(path)
  const entries = readdirSync(whole, { withFileTypes: true }).map((entry) => {
    const { size, mtime } = statSync(join(whole, entry.name))
    return { name: entry.name, path: join(whole, entry.name), size, dir: entry.isDirectory(), mod_time: mtime.toISOString() }
  })
  entries.sort((a, b) => b.dir - a.dir || a.name.localeCompare(b.name))
  return { path: whole, parent: whole === workspace ? undefined : dirname(whole), entries }
}

export const content = (path) => ({ content: readFileSync(inside(path)), name: basename(path) })

const hashOf = (data) => createHash("sha256").update(data).digest("hex")

export function text(path) {
  const whole = inside(path)
  const data = readFileSync(whole)
  return { path: whole, text: data.toString(), encoding: "UTF-8", sha256: hashOf(data), size: data.length }
}

export function writeText({ path, text, before }) {
  const whole = resolve(workspace, path)
  const there = existsSync(whole) ? hashOf(readFileSync(whole)) : undefined
  if (there !== before) throw new HttpProblem(409, `${path} is not what it was when it was read.`)
  writeFileSync(whole, text)
  return { path: whole, sha256: hashOf(text), size: Buffer.byteLength(text) }
}

/** Files whose paths hold some words. */
export function search(words) {
  const files = readdirSync(workspace, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())
  const paths = files.map((entry) => relative(workspace, join(entry.parentPath, entry.name)))
  return { folder: workspace, paths: paths.filter((path) => path.toLowerCase().includes(words.toLowerCase())).slice(0, 50), truncated: false }
}

/** Stores the files of a multipart body under a name that is free. */
export async function store(request) {
  const boundary = /boundary=(.+)$/.exec(request.headers["content-type"] ?? "")?.[1]
  if (!boundary) throw new HttpProblem(400, "The body is no multipart form.")
  const body = []
  for await (const piece of request) body.push(piece)
  const files = parts(Buffer.concat(body), boundary).map(({ name, data }) => {
    if (name === "refused.bin") throw new HttpProblem(413, "refused.bin is larger than 100 MB, which is the limit for one file.")
    return keep(name, data)
  })
  return { files }
}

function keep(name, data) {
  mkdirSync(join(workspace, "uploads"), { recursive: true })
  const clean = basename(name)
  const stem = clean.slice(0, clean.length - extname(clean).length)
  let free = clean
  for (let n = 1; existsSync(join(workspace, "uploads", free)); n++) free = `${stem}-${n}${extname(clean)}`
  writeFileSync(join(workspace, "uploads", free), data)
  return { name: free, path: join(workspace, "uploads", free), size: data.length }
}

const pictures = new Map()

/** A message with lines for its files, and the PNG files among them as pictures. */
export function withFiles(text, files) {
  const shown = []
  const lines = files.map((path) => {
    const data = readFileSync(path)
    if (data.subarray(1, 4).toString() === "PNG") {
      const hash = createHash("sha256").update(data).digest("hex")
      pictures.set(hash, data)
      shown.push({ hash, media_type: "image/png", width: data.readUInt32BE(16), height: data.readUInt32BE(20), name: basename(path), path })
    }
    return `[file: ${basename(path)} · ${data.length} bytes · ${path}]`
  })
  return { text: [text, ...lines].filter(Boolean).join("\n"), pictures: shown.length > 0 ? shown : undefined }
}

export const pictureOf = (hash) => pictures.get(hash)

/** The files of a multipart body. Header lines are read as UTF-8, contents are left as they are. */
function parts(body, boundary) {
  const found = []
  const mark = Buffer.from(`--${boundary}`)
  for (let at = body.indexOf(mark); at >= 0; ) {
    const next = body.indexOf(mark, at + mark.length)
    if (next < 0) break
    const part = body.subarray(at + mark.length + 2, next - 2)
    const gap = part.indexOf("\r\n\r\n")
    const name = /filename="([^"]*)"/.exec(part.subarray(0, gap).toString())?.[1]
    if (name !== undefined) found.push({ name, data: part.subarray(gap + 4) })
    at = next
  }
  return found
}
