// Runners of the mock's one user.
import { randomBytes } from "node:crypto"

import { HttpProblem } from "./http.mjs"

const ago = (milliseconds) => new Date(Date.now() - milliseconds).toISOString()

const machine = { os: "linux", arch: "amd64", version: "0.0.0-mock" }

/** The places where commands can run, and the chosen one. Revoked names are gone. */
export class Runners {
  active = ""
  source = "auto"
  #list = [
    { ...machine, name: "local", kind: "local", online: true, connected_at: ago(3_600_000), workspace: "/srv/xbot/workspace", confinement: "files outside of the workspace are read-only; xbot's own folder is hidden", revocable: false, sandbox: { confine: "auto", setting: false } },
    { ...machine, name: "__docker__", kind: "docker", online: true, connected_at: ago(3_600_000), workspace: "/workspace", confinement: "container without privileges, 2 CPUs, 2 GB, own network", revocable: false },
    { ...machine, name: "laptop", kind: "native", online: false, seen_at: ago(26 * 3_600_000), workspace: "/home/ada/work", confinement: "none: commands can do what their user can", llm: { provider: "openai", model: "local-llama" }, revocable: true },
  ]

  view() {
    const runners = this.#list.map((runner) => ({ ...runner, active: runner.name === (this.active || "local") }))
    return { runners, active: this.active, effective: this.active || "local", llm_source: this.source, model: "mock/scripted" }
  }

  choose({ name }) {
    if (name !== "") this.#find(name)
    this.active = name
    return this.view()
  }

  /** Chooses whether commands of the server's own runner run in a sandbox. */
  confine({ confine }) {
    this.#find("local").sandbox = { confine, setting: false, changed_by: "admin", changed_at: ago(0) }
    return this.view()
  }

  chooseModel({ source }) {
    this.source = source
    return this.view()
  }

  create({ name }) {
    if (this.#list.some((runner) => runner.name === name)) throw new HttpProblem(409, `There is a runner named ${name} already. Choose another name.`)
    const runner = { name, kind: "native", online: false, os: "", arch: "", version: "", workspace: "", confinement: "", revocable: true }
    this.#list.push(runner)
    return { runner: { ...runner, active: false }, ...this.renew(name) }
  }

  renew(name) {
    this.#find(name)
    return { token: `xbr_${randomBytes(24).toString("base64url")}`, command: `xbot-runner --server ws://127.0.0.1:8099/runner --token-file token --name ${name}` }
  }

  revoke(name) {
    this.#find(name)
    this.#list = this.#list.filter((runner) => runner.name !== name)
    if (this.active === name) this.active = ""
  }

  #find(name) {
    const found = this.#list.find((runner) => runner.name === name)
    if (!found) throw new HttpProblem(404, `There is no runner named ${name}.`)
    return found
  }
}
