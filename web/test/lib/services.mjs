import { createServer } from "node:http"

import { found } from "../../mock/tools.mjs"
import { call } from "./others.mjs"

/** What the service of transcription hears in every recording that has sound in it. */
export const SAID = "please buy milk"

/** Removes the keys of tools of one person, and where that is an administrator those of everybody. */
export const removeKeys = async (v) => {
  for (const { service, shared } of (await v.api("/api/keys")).keys) await call(v, "DELETE", `/api/keys/${service}?shared=${shared}`)
}

/**
 * Serves what tools use on a free port of this machine: the lists by which keys are tried, a search, and a transcription. It takes one key
 * alone, and the search none. `heard` are the recordings that came: their names and their bytes.
 */
export async function services(key) {
  const heard = []
  const answers = {
    "GET /search": () => ({ results: found }),
    "GET /tavily/usage": () => ({ account: {} }),
    "GET /v1/models": () => ({ object: "list", data: [] }),
    "POST /v1/audio/transcriptions": (body) => {
      const [, name] = /filename="([^"]*)"/.exec(body) ?? []
      heard.push({ name, bytes: body.length })
      return { text: SAID }
    },
  }
  const server = createServer(async (request, response) => {
    const { pathname } = new URL(request.url, "http://here")
    const chunks = []
    for await (const chunk of request) chunks.push(chunk)
    const send = (status, body) => response.writeHead(status, { "Content-Type": "application/json" }).end(JSON.stringify(body))
    const answer = answers[`${request.method} ${pathname}`]
    const came = request.headers.authorization
    if (!answer) send(404, { error: "nothing here" })
    else if (pathname !== "/search" && came !== `Bearer ${key}`) send(401, { error: `this key is wrong: ${came}` })
    else send(200, answer(Buffer.concat(chunks).toString("latin1")))
  })
  await new Promise((listens) => server.listen(0, "127.0.0.1", listens))
  const close = () => new Promise((closed) => (server.close(closed), server.closeAllConnections()))
  return { url: `http://127.0.0.1:${server.address().port}`, heard, close }
}
