// Subagents and the chats among them, below one conversation.
import { HttpProblem } from "./http.mjs"
import { Session } from "./session.mjs"

const MINUTE = 60_000
const ago = (minutes) => new Date(Date.now() - minutes * MINUTE).toISOString()
const keyOf = (name) => `agent:main:subagent:${name}`

/** Who works for a conversation: one in each state, a tree of two levels and a chat of three. */
export class Team {
  #root
  #agents = []
  #groups = []
  #sessions = []
  /** A job of the conversation runs. */
  #job = true

  /** `world` is the server, which gets a conversation for each subagent. */
  constructor(world, root) {
    this.#root = root
    const add = (name, role, more) => this.#add(world, name, role, more)
    add("explore", "explorer", { state: "done", task: "Find who still calls the old importer", steps: 9, tokens: 41_200, minutes: 14 })
    add("build", "coder", { instance: "importer", state: "running", turn_id: "t-build", tool: "Shell · go test ./internal/importer", task: "Port the importer", steps: 23, tokens: 182_000, minutes: 12 })
    add("tests", "tester", { parent: keyOf("build"), depth: 2, state: "running", turn_id: "t-tests", tool: "Shell · rm -rf testdata/old", waiting: true, task: "Renew the test data", steps: 4, tokens: 12_400, minutes: 6 })
    add("docs", "researcher", { background: true, state: "queued", task: "Read the release notes of the new driver", minutes: 5 })
    add("plan", "planner", { instance: "release", state: "idle", task: "Order the steps of the release", steps: 3, tokens: 8_900, minutes: 11 })
    add("bench", "tester", { state: "failed", task: "Compare the speed with the old importer", steps: 6, tokens: 30_100, minutes: 10 })
    for (const [n, role] of ["coder", "reviewer", "tester"].entries()) {
      add(`m${n}`, role, { instance: `g1-${n + 1}`, state: n === 2 ? "running" : "idle", turn_id: n === 2 ? "t-m2" : undefined, task: "Which name should the new package have?", steps: 2, tokens: 5_100, minutes: 4 })
    }
    const line = (seq, speaker, said, outcome = "done") => ({ seq, speaker, said, outcome, at: ago(4 - seq / 2) })
    this.#groups.push({
      id: "g1", topic: "Which name should the new package have?", rounds: 3, total: 5, created_at: ago(4),
      members: ["coder", "reviewer", "tester"].map((name, n) => ({ name, session: keyOf(`m${n}`) })),
      lines: [
        line(1, "coder", "I would call it `importer`: that is what it does."),
        line(2, "reviewer", "There is an `internal/import` already. Two names that differ by two letters will be mixed up in every review.\n@tester what do the tests call it?"),
        line(3, "tester", "", "passed"),
        line(4, "", "Keep it short, please."),
        line(5, "coder", "Then `intake`."),
      ],
    })
  }

  #add(world, name, role, { minutes, ...more }) {
    const agent = { session: keyOf(name), parent: this.#root.key, role, depth: 1, steps: 0, tokens: 0, model: "mock/scripted", created_at: ago(minutes), ...more }
    this.#agents.unshift(agent)
    const session = world.add(new Session(agent.session, { title: agent.task, channel: "agent", chat_type: "subagent" }))
    session.team = this
    this.#sessions.push(session)
    session.append({ role: "user", origin: "subagent", content: `[task]\n${agent.task}`, turn_id: `t-${name}`, created_at: agent.created_at })
    if (agent.state === "done") session.append({ role: "assistant", turn_id: `t-${name}`, content: "Nobody calls it but `cmd/legacy`.", created_at: agent.created_at })
  }

  /** A subagent does something else now; everybody who looks is told so. */
  change(name, change) {
    Object.assign(this.#agents.find(({ session }) => session === keyOf(name)), change)
    this.#stir()
  }

  /** Somebody says something in the chat. */
  say(speaker, said, end) {
    const [group] = this.#groups
    group.total++
    group.lines = [...group.lines, { seq: group.total, speaker, said, outcome: "done", at: ago(0) }]
    if (end) group.ended = end
    this.#stir()
  }

  get subagents() {
    return this.#agents
  }

  /** The chats that a conversation has made. */
  groupsOf(key) {
    return key === this.#root.key ? this.#groups : []
  }

  /** What works for a conversation in the background, beside its commands. */
  works(key) {
    const common = { call_id: "", runner: "", code: 0, total: 0 }
    const state = (busy) => (busy ? { state: "running" } : { state: "exited", ended_at: ago(0) })
    const agents = this.#agents
      .filter(({ background, parent }) => background && parent === key)
      .map(({ role, session, turn_id, task, created_at, ...agent }) => ({
        ...common, id: `${role}#1a2b3c`, kind: "subagent", session_key: session, turn_id, call_id: session, command: task, started_at: created_at, ...state(agent.state === "running" || agent.state === "queued"),
      }))
    const groups = this.groupsOf(key).map(({ id, topic, created_at, ended }) => ({ ...common, id, kind: "group chat", call_id: `group/${id}`, command: topic, started_at: created_at, ...state(!ended) }))
    const jobs = key === this.#root.key && this.#job ? [{ ...common, id: "job_000000c3", kind: "cron job", session_key: keyOf("bench"), turn_id: "t-job", command: "watch the build", started_at: ago(2), state: "running" }] : []
    return [...agents, ...groups, ...jobs]
  }

  /** Stops what an id of a list names; undefined where it is a command's. */
  kill(id) {
    const work = this.works(this.#root.key).find((known) => known.id === id)
    if (work?.kind === "group chat") this.end(id)
    else if (work?.kind === "cron job") this.#job = false
    else if (work) this.stop(work.session_key)
    if (work) this.#stir()
    return work
  }

  /** Tells everybody who looks at the conversation, or at one of its subagents, that something went on. */
  #stir() {
    this.#root.whisper("below", {})
    for (const session of this.#sessions) session.whisper("below", {})
  }

  end(id) {
    const group = this.#groups.find((known) => known.id === id)
    if (!group) throw new HttpProblem(404, "There is no such group chat in this conversation.")
    group.ended ??= "closed"
    this.#stir()
  }

  stop(key) {
    Object.assign(this.#agents.find(({ session }) => session === key), { state: "stopped", turn_id: undefined, tool: undefined, waiting: undefined })
    this.#stir()
  }
}
