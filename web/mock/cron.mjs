// Jobs in the mock: what is done at certain times.
import { HttpProblem } from "./http.mjs"

const HOUR = 3_600_000
const at = (milliseconds) => new Date(Math.ceil(Date.now() / HOUR) * HOUR + milliseconds).toISOString()

let runs = 1
const run = (session_key, hours, more) => ({ id: runs++, scheduled_at: at(-hours * HOUR), began_at: at(-hours * HOUR), reason: "scheduled", session_key, outcome: "done", ...more })

/** The jobs of the person. */
export class Jobs {
  #next = 1
  #jobs = [
    {
      id: "job_000000a1", name: "morning news", message: "read the news and tell me what matters", when: "0 9 * * 1-5", timezone: "Europe/Berlin", missed: "once", owner: "Mara", state: "active",
      runs: 12, passed: 2, next_at: at(20 * HOUR), revision: 3, created_at: at(-400 * HOUR), last: run("cron:job_000000a1", 4, { outcome: "silent" }),
    },
    {
      id: "job_000000b2", name: "disk", message: "look how full the disks are", when: "every 6h", timezone: "Europe/Berlin", missed: "skip", target: "agent:main:web:thread:gone", owner: "Mara", state: "paused",
      trouble: "gone", runs: 3, revision: 1, created_at: at(-90 * HOUR), last: run("agent:main:web:thread:gone", 9, { outcome: "gone" }),
    },
  ]

  /** Answers a request. */
  answer(method, path, body, query = new URLSearchParams()) {
    if (path === "/api/cron-timeline") return [200, this.#timeline(query)]
    const [, ofRun] = /^\/api\/cron\/job_\w+\/runs\/(\d+)$/.exec(path) ?? []
    if (ofRun) return [200, details(Number(ofRun))]
    const [, id, verb] = /^\/api\/cron(?:\/(job_\w+|preview)(?:\/(pause|resume|run|runs))?)?$/.exec(path) ?? []
    if (id === "preview") return [200, preview(body)]
    if (id === undefined && method === "GET") return [200, { jobs: this.#jobs.filter(filterOf(query)), timezone: "Europe/Berlin", timezone_from: "profile" }]
    if (id === undefined) return [201, this.#add(body)]
    const job = this.#jobs.find((known) => known.id === id)
    if (!job) throw new HttpProblem(404, `There is no job "${id}".`)
    if (verb === "runs") return [200, { runs: job.last ? [job.last, run(job.last.session_key, 28, { reason: "missed", said: "Nothing of note has happened." })] : [] }]
    if (verb === "run") {
      job.last = { ...run(`cron:${id}`, 0, { reason: "manual", outcome: "running" }), scheduled_at: new Date().toISOString() }
      return [202, undefined]
    }
    if (verb) return [200, Object.assign(job, verb === "pause" ? { state: "paused", next_at: undefined } : { state: "active", trouble: undefined, next_at: at(6 * HOUR) })]
    if (method === "PUT") return [200, Object.assign(job, body, { revision: job.revision + 1 })]
    this.#jobs = this.#jobs.filter((other) => other !== job)
    return [204, undefined]
  }

  /** Has a service told something. */
  publish({ service_ids, message, schedule_type, schedule }) {
    const when = { once: schedule ? `at ${schedule}` : "in 1s", cron: schedule, interval: `every ${schedule}s` }[schedule_type]
    const job = this.#add({ message, when, once: "a" })
    Object.assign(job, { service: service_ids[0], last: run(`agent:${service_ids[0]}:svc:thread:0123456789`, 0, { outcome: "queued" }) })
    return [201, { jobs: [job] }]
  }

  #timeline(query) {
    const items = this.#jobs.filter(filterOf(query)).flatMap((job) => [
      ...(job.last ? [{ job: job.id, name: job.name, service: job.service, at: job.last.scheduled_at, run: job.last }] : []),
      ...(job.next_at ? [{ job: job.id, name: job.name, service: job.service, at: job.next_at }] : []),
    ])
    return { from: at(-168 * HOUR), now: at(0), until: at(168 * HOUR), items: items.sort((a, b) => a.at.localeCompare(b.at)) }
  }

  #add({ once, ...plan }) {
    if (once === undefined) throw new HttpProblem(400, "once is missing")
    const { times, when } = preview(plan)
    const job = { ...plan, when, id: `job_${String(this.#next++).padStart(8, "0")}`, name: plan.name || plan.message.slice(0, 40), owner: "Mara", state: "active", runs: 0, revision: 1, created_at: at(0), next_at: times[0] }
    this.#jobs.push(job)
    return job
  }
}

const filterOf = (query) => (job) => (query.get("track") !== "house" || !job.service) && (query.get("track") !== "services" || job.service) && (!query.get("service") || job.service === query.get("service"))

const details = (id) => ({
  ...run("cron:job_000000a1", 4, { outcome: "done" }), id, status: "success", output: "The stars are out.",
  steps: [
    { kind: "model", name: "mock/scripted", started_at: at(-4 * HOUR), finished_at: at(-4 * HOUR + 1200) },
    { kind: "tool", name: "WebSearch", started_at: at(-4 * HOUR + 1200), finished_at: at(-4 * HOUR + 2000), failed: true },
  ],
})

function preview({ when, timezone }) {
  if (!/^(\S+ \S+ \S+ \S+ \S+|@\w+|(every|in|at) .+)$/.test(when)) throw new HttpProblem(400, `"${when}" says no time; write \`0 9 * * 1-5\`, \`@daily\`, \`every 30m\`, \`at 2026-03-29 08:00\` or \`in 20m\`.`)
  return { when, timezone: timezone || "Europe/Berlin", times: [1, 2, 3, 4, 5].map((n) => at(n * 24 * HOUR)) }
}
