// Bots on platforms in the mock: what they are configured with and how they stand.
import { HttpProblem } from "./http.mjs"

const ago = (milliseconds) => new Date(Date.now() - milliseconds).toISOString()

const kinds = [
  {
    name: "feishu",
    options: [
      { name: "app_id", env: "FEISHU_APP_ID", label: "App ID", help: "open.feishu.cn, the app, Credentials & Basic Info; begins with cli_", required: true },
      { name: "app_secret", env: "FEISHU_APP_SECRET", label: "App Secret", help: "beside the App ID", secret: true, required: true },
      { name: "mode", env: "FEISHU_MODE", label: "Events arrive by", help: "webhook needs an address that Feishu can reach by HTTPS", choices: ["connection", "webhook"], default: "connection" },
      { name: "encrypt_key", env: "FEISHU_ENCRYPT_KEY", label: "Encrypt Key", help: "beside the Verification Token", secret: true },
    ],
  },
  {
    name: "napcat",
    options: [
      { name: "mode", env: "NAPCAT_MODE", label: "Connection", help: "forward: xbot dials NapCat's WebSocket server. reverse: NapCat's WebSocket client dials xbot.", choices: ["forward", "reverse"], default: "forward" },
      { name: "url", env: "NAPCAT_URL", label: "Address of NapCat", help: "Forward only: the WebSocket server in NapCat's network settings, such as ws://127.0.0.1:3001." },
      { name: "token", env: "NAPCAT_TOKEN", label: "Token", help: "The token of that server or client in NapCat's network settings. Reverse needs one.", secret: true },
    ],
  },
]

/** The bots that are set up. */
export class Channels {
  #revision = 3
  #accounts = [
    {
      channel: "feishu", account: "", enabled: true, settings: { app_id: "cli_a1b2c3", mode: "webhook" }, secrets: ["app_secret", "encrypt_key"], revision: 1, changed_at: ago(9 * 86_400_000), changed_by: "Mara",
      address: "https://xbot.example/channels/feishu", state: "connected", connected_at: ago(3_600_000), event_at: ago(42_000), lag_ms: 180, waiting: 2, oldest_s: 12, held: "the organization has used up its calls of Feishu's API for this month",
    },
    {
      channel: "qq", account: "", enabled: true, settings: { app_id: "102030" }, secrets: ["app_secret"], revision: 2, changed_at: ago(2 * 86_400_000),
      environment: ["QQ_APP_ID", "QQ_APP_SECRET"], state: "faulty", error: "QQ refuses the AppSecret: copy it again from q.qq.com", error_at: ago(60_000), waiting: 0,
    },
  ]

  /** What did not arrive, newest first. */
  undelivered = [
    {
      delivery: 42, session: "agent:main:qq:dm:E4F4AEA33253A2797FB897C50B81D7ED", user: "Lin", channel: "qq", kind: "message", outcome: "failed",
      reason: "QQ says that the bot cannot write there: it was removed or muted", written_at: ago(7_300_000), ended_at: ago(7_200_000),
    },
    {
      delivery: 17, session: "agent:main:feishu:group:oc_1", user: "Ada", channel: "feishu", account: "two", kind: "question", outcome: "uncertain",
      reason: "the connection broke while it was sent", written_at: ago(90_100_000), ended_at: ago(90_000_000),
    },
  ]

  /** Answers a request, or undefined where it is about something else. */
  answer(method, path, query, body) {
    const account = query.get("account") ?? ""
    const [, channel, verb] = /^\/api\/channels(?:\/(\w+)(?:\/(check|test))?)?$/.exec(path) ?? []
    if (!path.startsWith("/api/channels")) return undefined
    if (channel === undefined) return [200, { kinds, accounts: this.#accounts }]
    if (verb === "check") return [200, { faults: faultsOf(channel, account, body) }]
    if (verb === "test") return [200, this.#test(this.#find(channel, account), body.to)]
    if (method === "PUT") return [200, this.#save(channel, account, body)]
    const found = this.#find(channel, account)
    if (method === "DELETE") this.#accounts = this.#accounts.filter((other) => other !== found)
    if (method === "PATCH") Object.assign(found, { enabled: body.enabled, state: body.enabled ? stateOf(found).state : "off", revision: ++this.#revision })
    return method === "DELETE" ? [204, undefined] : [200, found]
  }

  #find(channel, account) {
    const found = this.#accounts.find((known) => known.channel === channel && known.account === account)
    if (!found) throw new HttpProblem(404, `there is no channel ${channel}`)
    return found
  }

  #save(channel, account, { settings, forget, revision, enabled }) {
    const faults = faultsOf(channel, account, { settings, forget, revision })
    if (faults.length > 0) throw new HttpProblem(422, `nothing was changed: ${faults[0].text}`, faults.map(({ text }) => ({ message: text })))
    const before = this.#accounts.find((known) => known.channel === channel && known.account === account)
    if ((before?.revision ?? 0) !== (revision ?? 0)) throw new HttpProblem(409, "somebody else changed this channel meanwhile")
    const secretNames = kinds.find(({ name }) => name === channel).options.filter(({ secret }) => secret).map(({ name }) => name)
    const open = Object.fromEntries(Object.entries(settings).filter(([name, value]) => value !== "" && !secretNames.includes(name)))
    const secrets = secretNames.filter((name) => settings[name] || (before?.secrets.includes(name) && !forget?.includes(name)))
    const made = { channel, account, enabled, settings: open, secrets, revision: ++this.#revision, changed_at: ago(0), changed_by: "admin", waiting: 0, ...stateOf({ channel, settings: open }) }
    this.#accounts = [...this.#accounts.filter((known) => known !== before), made]
    return made
  }

  #test({ channel, enabled, state, error, event_at }, to) {
    const settings = { step: "settings", state: "ok" }
    if (state === "faulty") {
      const failed = { state: "failed", text: error }
      return { passed: false, findings: [settings, { step: "credentials", ...failed }, { step: "connection", ...failed }, message(to)] }
    }
    const permission = channel === "feishu"
      ? { step: "permission", state: "missing", what: "im:message.group_msg", text: "Add im:message.group_msg at open.feishu.cn, the app, Permissions & Scopes, and publish a version." }
      : { step: "permission", state: "ok" }
    const connection = enabled ? { step: "connection", state: "ok" } : { step: "connection", state: "untested", text: "the channel is switched off" }
    const events = event_at ? { step: "events", state: "ok", what: event_at } : { step: "events", state: "untested", text: "no event has come yet" }
    return { passed: permission.state === "ok", findings: [settings, { step: "credentials", state: "ok", what: "xbot (ou_1)" }, permission, connection, events, message(to)] }
  }
}

const message = (to) => (to ? { step: "message", state: "ok", what: "om_1" } : { step: "message", state: "untested", text: "no message was sent: name a place to send one to" })

/** Nobody listens in the mock, so that NapCat is never reached. */
function stateOf({ channel, settings }) {
  if (channel !== "napcat") return { state: "connected", connected_at: ago(0) }
  return { state: "faulty", error: `NapCat at ${String(settings.url).replace(/^\w+:\/\//, "")} is not reached: connection refused`, error_at: ago(0) }
}

function faultsOf(channel, account, { settings, revision }) {
  const { options } = kinds.find(({ name }) => name === channel)
  const faults = []
  if (account !== "" && !/^[a-z0-9][a-z0-9_-]*$/.test(account)) faults.push({ option: "account", kind: "form", text: "account has up to 32 small letters, digits, _ and -" })
  for (const { name, required, secret } of options) {
    if (required && !settings[name] && !(secret && revision)) faults.push({ option: name, kind: "missing", text: `${name} is missing` })
  }
  if (channel === "napcat" && !/^wss?:\/\/./.test(settings.url ?? "")) faults.push({ option: "url", kind: "form", text: "url must begin with ws:// or wss://" })
  return faults
}
