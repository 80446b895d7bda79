// What the mock knows of the whole installation: the policy, who is let in, the models and agents, and what runs.
import { HttpProblem } from "./http.mjs"

const now = () => new Date().toISOString()
const later = (milliseconds) => new Date(Date.now() + milliseconds).toISOString()

export const models = {
  think: ["off", "minimal", "low", "medium", "high", "xhigh"],
  models: [
    { id: "mock/scripted", alias: ["scripted"], default: true, own: false, vision: true, max_context: 200_000, max_output: 16_000, available: true },
    { id: "openai/gpt-5", alias: ["gpt"], default: false, own: false, vision: true, max_context: 400_000, max_output: 128_000, available: true },
    { id: "anthropic/claude-opus-4", alias: ["opus"], default: false, own: false, vision: true, max_context: 200_000, max_output: 32_000, available: false },
  ],
}

export const agents = [
  { id: "main", name: "xbot", model: "", default: true },
  { id: "ops", name: "Operations", model: "openai/gpt-5", default: false },
]

/** The id of a model that a word means. */
export const resolveModel = (word) => models.models.find((model) => [model.id, ...model.alias].includes(word))?.id

const first = `{
  "session": {
    "dmScope": "per-channel-peer",
    "reset": { "mode": "daily", "atHour": 4 },
    "resetByType": { "group": { "mode": "idle", "idleMinutes": 240 } }
  },
  "messages": {
    "queue": { "mode": "steer", "cap": 32, "drop": "reject" }
  },
  "agents": {
    "list": [
      { "id": "main", "name": "xbot", "default": true },
      { "id": "ops", "name": "Operations", "model": "openai/gpt-5" }
    ]
  },
  "channels": {
    "feishu": {
      "dmPolicy": "pairing",
      "groups": { "*": { "requireMention": true } }
    }
  },
  "limits": { "turns": 64, "llm": { "global": 5 } }
}
`

const known = ["session", "messages", "agents", "bindings", "models", "channels", "limits"]

/** The policy: every version of it. */
export class Policy {
  #versions = [
    { version: 1, text: '{\n  "messages": {\n    "queue": { "mode": "followup", "cap": 8 }\n  }\n}\n', at: later(-9 * 86_400_000), by: "admin" },
    { version: 2, text: first.replace('"requireMention": true', '"requireMention": false').replace('"mode": "daily", "atHour": 4', '"mode": "none"'), at: later(-3 * 86_400_000), by: "Mara" },
    { version: 3, text: first, at: later(-26 * 60_000), by: "admin" },
  ]

  get version() {
    return this.#versions.at(-1).version
  }

  view(version = this.version) {
    const found = this.#versions.find((known) => known.version === version)
    if (!found) throw new HttpProblem(404, `There is no version ${version} of the policy.`)
    return { version, text: found.text, notes: this.#read(found.text).notes }
  }

  /** Who changed it and when, the newest first. */
  versions() {
    return { versions: this.#versions.map(({ version, at, by, transfers = [] }) => ({ version, at, by, transfers })).reverse() }
  }

  /** Names of identityLinks that have an account. */
  links = [{ name: "mara", ids: ["telegram:1001"], user_id: 7, account: "mara", conversations: 3 }]

  check({ text, transfer = [] }) {
    const { errors, notes, document } = this.#read(text)
    const transfers = this.links.filter(({ name, ids }) => document?.session?.identityLinks?.[name] && !ids.some((id) => document.session.identityLinks[name].includes(id)))
    const refused = transfers.filter(({ name }) => !transfer.includes(name)).map(({ name }) => `session.identityLinks.${name}: the account "${name}" was used by other ids`)
    return { errors: [...errors, ...refused], notes, transfers }
  }

  save({ text, version, transfer = [] }) {
    if (version !== this.version) throw new HttpProblem(409, `Version ${this.version} was saved meanwhile. Read it and make your change again.`)
    const { document } = this.#read(text)
    const { errors } = this.check({ text, transfer })
    if (errors.length > 0) throw new HttpProblem(422, "The policy has faults, so the one before it stays in force.", errors.map((message) => ({ message })))
    this.#versions.push({ version: this.version + 1, text: `${JSON.stringify(document, null, 2)}\n`, at: now(), by: "admin", transfers: transfer })
    for (const link of this.links) if (transfer.includes(link.name)) link.ids = document.session.identityLinks[link.name]
    return this.view()
  }

  #read(text) {
    let document
    try {
      document = JSON.parse(text.replaceAll(/^\s*\/\/.*$/gm, "").replaceAll(/,(\s*[}\]])/g, "$1"))
    } catch (error) {
      const at = Number(/position (\d+)/.exec(error.message)?.[1] ?? text.length)
      return { errors: [`line ${text.slice(0, at).split("\n").length}: this is not JSON5`], notes: [] }
    }
    const errors = Object.keys(document).filter((key) => !known.includes(key)).map((key) => `${key}: unknown; did you mean ${known.find((name) => name[0] === key[0]) ?? "session"}?`)
    const { mode } = document.session?.reset ?? {}
    if (mode !== undefined && !["none", "daily", "idle"].includes(mode)) errors.push(`session.reset.mode: ${JSON.stringify(mode)} is none of none, daily, idle`)
    const notes = document.session?.store ? ["session.store has no effect: conversations are in Postgres"] : []
    return { errors, notes, document }
  }
}

/** Who waits to be let in and who was. */
export class People {
  pairings = [
    { code: "K7WQ2MPX", channel: "feishu", account: "default", peer: "ou_41f9c0", name: "Lin", created_at: later(-12 * 60_000), expires_at: later(48 * 60_000) },
    { code: "B3HNZR8T", channel: "qq", account: "default", peer: "288104", name: "", created_at: later(-3 * 60_000), expires_at: later(57 * 60_000) },
  ]
  identities = [{ channel: "feishu", account: "default", peer: "ou_77ab" }]

  /** Makes an identity an account of its own. */
  unlink(of) {
    this.identities = this.identities.filter(({ peer }) => peer !== of.get("peer"))
    return { account: `feishu:${of.get("peer")}`, moved: 1 }
  }

  grants = [{ channel: "feishu", account: "default", peer: "ou_0087aa", name: "Mara", granted_by: "admin", created_at: later(-9 * 86_400_000) }]

  others = [
    ["agent:main:feishu:group:oc_7", "feishu:group:oc_7", "feishu", "group", "Platform team"],
    ["agent:main:qq:dm:288104", "qq:288104", "qq", "direct", "288104"],
  ].map(([key, user, channel, chat_type, label]) => ({
    key, user, channel, chat_type, title: "", agent: "main", origin: { label }, messages: 12, turns: 4, queued: 0, compactions: 0, context_tokens: 8_200, context_max: 200_000,
    input_tokens: 30_000, cached_tokens: 21_000, output_tokens: 1_900, total_tokens: 31_900, created_at: later(-86_400_000), updated_at: later(-3_600_000),
  }))

  /** Takes a conversation of others away, and says whether it was there. */
  forget(key) {
    const before = this.others.length
    this.others = this.others.filter((session) => session.key !== key)
    return this.others.length < before
  }

  answer(code, { approve }) {
    const pairing = this.pairings.find((candidate) => candidate.code === code)
    if (!pairing) throw new HttpProblem(404, "This request was answered already, or its hour is over.")
    this.pairings = this.pairings.filter((candidate) => candidate !== pairing)
    const { channel, account, peer, name } = pairing
    if (approve) this.grants.push({ channel, account, peer, name, granted_by: "admin", created_at: now() })
    return pairing
  }

  revoke(query) {
    const same = (grant) => ["channel", "account", "peer"].every((key) => grant[key] === query.get(key))
    this.grants = this.grants.filter((grant) => !same(grant))
  }
}

const usual = {
  turns: 64, user_turns: 0, own_key_turns: 1, llm_global: 5, llm_personal: 3, llm_subagent: 3, provider_wait_minutes: 1440, subagent_depth: 6,
  subagents_per_turn: 20, subagents_running: 16, subagent_tokens: 5_000_000, person_sessions: 10_000, person_runners: 50, person_tokens: 100, person_storage: 10_240, person_voice: 120, media_pictures: 100, media_characters: 100_000, media_seconds: 120, media_at_once: 3,
}

/** What may run at once. */
export class Limits {
  #version = 1
  #set = { ...Object.fromEntries(Object.keys(usual).map((name) => [name, 0])), turns: 64 }

  view(sessions) {
    const running = sessions.filter((session) => session.running).length
    const waiting = sessions.reduce((sum, session) => sum + session.queued.length, 0)
    return {
      limits: Object.fromEntries(Object.entries(usual).map(([name, number]) => [name, this.#set[name] || number])),
      set: this.#set,
      default: usual,
      version: this.#version,
      running,
      waiting,
      turns: [{ tenant: "admin", running, kept: 0, waiting, longest_wait_s: 0 }],
      llm: running > 0 ? [{ tenant: "admin", pool: "global", running, waiting: 0 }] : [],
    }
  }

  save({ version, limits }, sessions) {
    if (version !== this.#version) throw new HttpProblem(409, `the policy was changed meanwhile: look at version ${this.#version} and change it again`)
    if (limits.turns < 0) {
      const message = `limits.turns: ${limits.turns} is not between 1 and 10000`
      throw new HttpProblem(422, `nothing was changed: ${message}`, [{ message }])
    }
    this.#set = limits
    this.#version++
    return this.view(sessions)
  }
}

/** Messages that hold a text, newest first. */
export function search(sessions, q) {
  const found = sessions.flatMap((session) =>
    session.messages.filter((message) => message.role !== "notice" && message.content.toLowerCase().includes(q.toLowerCase())).map((message) => hitOf(session, message, q)),
  )
  return found.sort((a, b) => b.at.localeCompare(a.at)).slice(0, 20)
}

function hitOf(session, message, q) {
  const at = message.content.toLowerCase().indexOf(q.toLowerCase())
  const from = Math.max(0, at - 40)
  const cut = from > 0 ? "…" : ""
  const snippet = (cut + message.content.slice(from, at + q.length + 80)).replaceAll("\n", " ")
  const begin = [...snippet.slice(0, cut.length + at - from)].length
  const marks = [{ from: begin, to: begin + [...q].length }]
  return { session: session.key, title: session.title, message_id: message.id, role: message.role, snippet, marks, at: message.created_at }
}

/** Prepared lists of runs, as administrators see them. */
export function runQueries() {
  const link = (kind, query, name) => ({ kind, query, ...(name && { name }), url: `/temporal/namespaces/default/workflows?query=${encodeURIComponent(query)}` })
  const today = `StartTime >= '${new Date().toISOString().slice(0, 10)}T00:00:00Z'`
  return [
    link("failed", "XbotOutcome IN ('failed', 'lost') OR ExecutionStatus IN ('Failed', 'TimedOut', 'Terminated')"),
    link("waiting", "ExecutionStatus = 'Running' AND XbotWaits IS NOT NULL"),
    link("running", "ExecutionStatus = 'Running' AND XbotKind IN ('turn', 'subagent')"),
    link("today", today),
    link("person", `XbotUser = 'admin' AND ${today}`, "admin"),
    link("model", `XbotModel = 'mock/scripted' AND ${today}`, "mock/scripted"),
  ]
}
