// What the mock knows of the keys of services that tools use. No service is asked: a key with "wrong" in it is refused.
import { HttpProblem } from "./http.mjs"

const services = ["tavily", "cloudsway", "searxng", "image", "speech", "video", "transcription", "realtime"]

const providers = { image: ["openai", "gemini", "dashscope"], speech: ["openai", "elevenlabs", "minimax"], video: ["openai", "gemini", "dashscope"] }

export class ToolKeys {
  #list = []

  /** Status and body of a request. */
  answer(method, url, body) {
    if (url.pathname === "/api/keys") return [200, { keys: this.#list, services: services.map((service) => ({ service, providers: providers[service], source: this.#source(service) })) }]
    const [, , , service, what] = url.pathname.split("/")
    if (!services.includes(service)) throw new HttpProblem(422, "There is no such service.")
    const shared = method === "DELETE" ? url.searchParams.get("shared") === "true" : (body.shared ?? false)
    const stands = this.#list.find((key) => key.service === service && key.shared === shared)
    const left = this.#list.filter((key) => key !== stands)
    if (method === "DELETE") {
      this.#list = left
      return [204]
    }
    if (!body.key && !body.base_url && !stands) throw new HttpProblem(400, "it needs a key: enter it")
    if (what === "try") return [200, this.#try(service, body)]
    if ((body.revision ?? 0) !== (stands?.revision ?? 0)) throw new HttpProblem(409, "the key was changed or removed meanwhile: read it again")
    const kept = {
      service, shared, provider: body.provider, price: body.price, base_url: body.base_url ?? "", model: body.model ?? "", key_hint: body.key ? `…${body.key.slice(-4)}` : (stands?.key_hint ?? ""),
      revision: (stands?.revision ?? 0) + 1, changed_at: new Date().toISOString(), changed_by: "admin",
    }
    this.#list = [...left, kept]
    return [200, kept]
  }

  /** What is said in a recording: always the same, where it is one. */
  async transcribe(request) {
    const pieces = []
    for await (const piece of request) pieces.push(piece)
    const recording = Buffer.concat(pieces)
    if (this.#source("transcription") === undefined) throw new HttpProblem(400, "there is no key for transcription: enter one on the page under Settings, Models and keys, or let an administrator set STT_API_KEY")
    if (!request.headers["content-type"]?.startsWith("audio/webm") || recording.readUInt32BE(0) !== 0x1a45dfa3) throw new HttpProblem(400, "the service refused the request (400 Bad Request)")
    return { text: "please buy milk" }
  }

  #try(service, { key = "" }) {
    if (service === "cloudsway") return { passed: false, untested: true, problem: "search with CloudsWay has no request that costs nothing: the key is tried when it is used first", ms: 0 }
    return key.includes("wrong") ? { passed: false, problem: "the key was not accepted (401): enter another one", ms: 120 } : { passed: true, ms: 120 }
  }

  #source(service) {
    const of = this.#list.filter((key) => key.service === service)
    if (of.length === 0) return service === "searxng" ? "environment" : undefined
    return of.some(({ shared }) => !shared) ? "own" : "installation"
  }
}
