// Small things that every HTTP server needs.
import { createReadStream, existsSync, statSync } from "node:fs"
import { extname, join, normalize } from "node:path"

import { compare } from "./document.mjs"

export class HttpProblem extends Error {
  constructor(status, detail, errors) {
    super(detail)
    this.status = status
    this.errors = errors
  }
}

export function sendJson(response, status, body) {
  compare(response.req, status, body)
  response.writeHead(status, { "Content-Type": "application/json", "Cache-Control": "no-store" })
  response.end(body === undefined ? "" : JSON.stringify(body))
}

/** Sends something to be kept rather than shown. */
export function sendFile(response, { content, name }) {
  response.writeHead(200, {
    "Content-Type": "application/octet-stream",
    "Content-Disposition": `attachment; filename*=UTF-8''${encodeURIComponent(name)}`,
    "X-Content-Type-Options": "nosniff",
  })
  response.end(content)
}

export function sendProblem(response, { status, message, errors }) {
  response.writeHead(status, { "Content-Type": "application/problem+json" })
  response.end(JSON.stringify({ type: "about:blank", title: "Problem", status, detail: message, errors }))
}

export async function readBody(request) {
  let text = ""
  for await (const piece of request) text += piece
  if (text === "") return {}
  try {
    return (request.body = JSON.parse(text))
  } catch {
    throw new HttpProblem(400, "The body is not JSON.")
  }
}

/** The policy of web/handler.go, so that the mock refuses what the real server refuses. */
const policy =
  "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; font-src 'self'; " +
  "connect-src 'self'; manifest-src 'self'; frame-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'"

const framePolicy =
  "sandbox allow-scripts; default-src 'none'; script-src 'self'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors 'self'"

const types = { ".html": "text/html; charset=utf-8", ".js": "text/javascript", ".css": "text/css", ".svg": "image/svg+xml", ".woff2": "font/woff2", ".webmanifest": "application/manifest+json", ".png": "image/png" }

/** Serves the built page, cached as web/handler.go has it cached; a place inside it answers index.html. */
export function sendPage(response, dist, path) {
  const name = extname(path) === "" || path.startsWith("/c/") ? "/index.html" : normalize(path)
  const file = join(dist, name)
  if (!existsSync(file) || !statSync(file).isFile()) {
    const missing = name === "/index.html" ? "The page was not built: run npm run build.\n" : "Not found.\n"
    response.writeHead(name === "/index.html" ? 503 : 404).end(missing)
    return
  }
  const cached = name.startsWith("/assets/") ? "public, max-age=31536000, immutable" : "no-cache"
  const shared = name.startsWith("/assets/") ? { "Access-Control-Allow-Origin": "*" } : {}
  const held = name === "/diagram.html" ? framePolicy : policy
  response.writeHead(200, { "Content-Type": types[extname(file)] ?? "application/octet-stream", "Content-Security-Policy": held, "Cache-Control": cached, ...shared })
  createReadStream(file).pipe(response)
}
