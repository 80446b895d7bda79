// Questions whether a call may run.
import { HttpProblem } from "./http.mjs"
import { readPlanAnswer } from "./plans.mjs"
import { readAnswers, said } from "./inquiries.mjs"

const now = () => new Date().toISOString()

/** The open questions of one session, oldest first. */
export class Approvals {
  #open = new Map()
  #answered = new Map()
  #permissions
  /** Told when everything of the running turn is allowed, or not any more. */
  #allows

  constructor(permissions) {
    this.#permissions = permissions
  }

  /** Allows all that waits and what comes, or ceases to. */
  allowAll(turn, allow) {
    this.#allows = allow ? turn.id : undefined
    turn.allows = allow ? (turn.allows ?? { by: "admin", since: now(), calls: 0 }) : undefined
    if (allow) for (const [id, { questions, plan }] of [...this.#open]) if (!questions && !plan) this.answer(id, { decision: "allow" })
  }

  get waiting() {
    return this.#open.size > 0
  }

  /**
   * Asks, and returns when somebody has answered or the turn is stopped. `told` tells the feed of the call. With questions it
   * is they that are answered.
   */
  ask(call, reason, signal, told, questions, plan) {
    if (!questions && !plan && this.#allows && call.id.startsWith(this.#allows)) {
      const approval = { state: "allowed", reason, asked_at: now(), answered_at: now(), answered_by: "admin" }
      told({ approval })
      return Promise.resolve(approval)
    }
    const always = questions || plan ? undefined : this.#permissions.alwaysOf(call)
    const approval = { state: "open", reason, asked_at: now(), questions, plan, always, preview: previewOf(call) }
    return new Promise((done) => {
      const settle = (change) => {
        this.#open.delete(call.id)
        this.#answered.set(call.id, call)
        Object.assign(approval, change)
        told({ approval: { ...approval } })
        done(approval)
      }
      this.#open.set(call.id, { call, settle, questions, plan, always })
      signal.addEventListener("abort", () => approval.state === "open" && settle({ state: "void" }), { once: true })
      told({ approval: { ...approval } })
    })
  }

  answer(id, { answers, decision = answers && "allow", note, always, arguments: changed }) {
    const open = this.#open.get(id)
    if (!open && this.#answered.has(id)) throw new HttpProblem(409, "This question was answered before. The first answer stands.")
    if (!open) throw new HttpProblem(404, "There is no such question.")
    for (const { name, default: usual } of open.questions ?? []) if (answers && usual && !answers[name]?.length) answers[name] = [usual]
    if (decision === "allow" && open.questions?.some(({ name, optional }) => !optional && !answers?.[name]?.length)) throw new HttpProblem(400, "A question has no answer.")
    if (always && decision === "allow") for (const rule of open.always) this.#permissions.set(rule.tool, rule)
    if (changed?.command?.includes("forbidden")) throw new HttpProblem(403, "The rules deny this call as you changed it.")
    const asked = changed && { asked: open.call.arguments, ...(open.plan && { plan: changed }) }
    if (changed) Object.assign(open.call, { arguments: JSON.stringify(changed), summary: changed.command ?? open.call.summary })
    open.settle({ ...asked, state: decision === "allow" ? "allowed" : "denied", answers, note: note || undefined, answered_at: now(), answered_by: "admin" })
    return open.call
  }

  /** Takes a message as the answer to the questions that wait longest; what it was read as, or undefined when none wait. */
  answerInWords(text) {
    for (const [id, { questions, plan }] of this.#open) {
      if (plan) {
        const answer = readPlanAnswer(text)
        this.answer(id, answer)
        return answer.decision === "allow" ? "Plan approved." : "Plan sent back."
      }
      if (!questions) continue
      const answers = readAnswers(questions, text)
      this.answer(id, { answers })
      return `Answered: ${said(answers)}`
    }
    return undefined
  }

  /** Answers the oldest open question; false when there is none. */
  answerOldest(body) {
    const [id] = this.#open.keys()
    if (id === undefined) return false
    this.answer(id, body)
    return true
  }
}

/** What an edit would change, as a unified diff; undefined for other calls. */
function previewOf({ name, arguments: json }) {
  if (name !== "FileReplace") return undefined
  const { path, old_string: before = "", new_string: after = "" } = JSON.parse(json)
  const lines = (mark, text) => text.split("\n").map((line) => `${mark}${line}\n`).join("")
  return `--- ${path}\n+++ ${path}\n@@ -1 +1 @@\n${lines("-", before)}${lines("+", after)}`
}
