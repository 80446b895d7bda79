// Background tasks of the mock: commands that really run.
import { spawn } from "node:child_process"

import { HttpProblem } from "./http.mjs"
import { workspace } from "./tools.mjs"

const now = () => new Date().toISOString()

/** The background tasks of one session. */
export class Tasks {
  #session
  #tasks = []
  #wake

  /** `wake` starts a turn for what is queued. */
  constructor(session, wake) {
    this.#session = session
    this.#wake = wake
  }

  /** Starts a command for a call and returns its task. */
  start(turn, call, command) {
    const task = { id: `bg${this.#tasks.length + 1}`, call_id: call.id, command, runner: "local", state: "running", code: 0, total: 0, started_at: now() }
    const child = spawn("sh", ["-c", command], { cwd: workspace, detached: true, stdio: ["ignore", "pipe", "pipe"] })
    const entry = { task, child, output: "" }
    this.#tasks.unshift(entry)
    const heard = (data) => {
      this.#session.whisper("output", { turn_id: turn.id, call_id: call.id, offset: Buffer.byteLength(entry.output), text: data.toString() })
      entry.output += data
    }
    child.stdout.on("data", heard)
    child.stderr.on("data", heard)
    child.on("close", (code) => this.#ended(entry, code))
    this.#session.tell("task", task)
    return task
  }

  /** An ended task for conversations that are made up. */
  recall(task, output) {
    this.#tasks.unshift({ task: { ...task, total: Buffer.byteLength(output) }, output })
    this.#session.tell("task", this.#tasks[0].task)
  }

  list() {
    return this.#tasks.map(({ task }) => task)
  }

  read(id) {
    const { task, output } = this.#find(id)
    return task.state === "running" ? task : { ...task, output: output.slice(0, 50_000) }
  }

  whole(id) {
    return this.#find(id).output
  }

  kill(id) {
    const entry = this.#find(id)
    entry.killed = true
    if (entry.task.state === "running") process.kill(-entry.child.pid, "SIGKILL")
    return entry.task
  }

  /** Ends what still runs. */
  close() {
    for (const { task, child } of this.#tasks) if (child && task.state === "running") process.kill(-child.pid, "SIGKILL")
  }

  #find(id) {
    const found = this.#tasks.find(({ task }) => task.id === id)
    if (!found) throw new HttpProblem(404, `There is no background task ${id} in this conversation.`)
    return found
  }

  #ended(entry, code) {
    const { task, output } = entry
    Object.assign(task, { state: entry.killed ? "killed" : "exited", code: code ?? 0, total: Buffer.byteLength(output), ended_at: now() })
    this.#session.tell("task", task)
    const how = entry.killed ? "killed" : `exit code ${task.code}`
    this.#session.queueEnd(`[background task ${task.id} ended: ${how}]\ncommand: ${task.command}\n${output}`)
    this.#wake()
  }
}
