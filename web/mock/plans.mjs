// Plans of the scripted model, by the tool propose_plan.

/** What a call proposes; undefined for calls of other tools, and for one without steps. */
export function planOf({ name, arguments: json }) {
  if (name !== "propose_plan") return undefined
  const plan = JSON.parse(json)
  return plan.steps?.length > 0 ? plan : undefined
}

/** The steps as a to-do list. */
export const todosOf = ({ steps }) => steps.map((text, n) => ({ id: String(n + 1), text, done: false }))

/** What the model reads of the answer. */
export const answerTo = ({ state, note }, plan) =>
  state === "allowed" ? `The user approved the plan.\n\n${plan.steps.join("\n")}` : state === "void" ? "interrupted" : `The user sent the plan back${note ? `: ${note}` : "."}`

/** Whether a call waits for a plan. */
export const isWalled = ({ name }) => ["Shell", "FileCreate", "FileReplace"].includes(name)

const approves = new Set(["approve", "yes", "ok", "y"])
const rejects = new Set(["reject", "no", "n"])

/** What a message says to a plan. */
export function readPlanAnswer(text) {
  const word = text.trim().toLowerCase()
  if (approves.has(word)) return { decision: "allow" }
  return rejects.has(word) ? { decision: "deny" } : { decision: "deny", note: text.trim() }
}
