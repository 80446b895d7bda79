// What a person runs beside the conversation: bang commands, and the slash commands of the server.
import { randomBytes } from "node:crypto"

import { runTool } from "./tools.mjs"

/** Characters of an output that are shown; of a longer one there is a link to the whole. */
const SHOWN = 4000

export const isCommand = (text) => /^!\s*\S/.test(text) || /^\/(runner|approve|deny|context|usage|fork)(\s|$)/.test(text)

/** A command that waits for its place among the messages. */
export const isQueued = (text) => /^\/(compact|compress|rewind)(\s|$)/.test(text)

const command = (name, args, en, zh, more) => ({ name, args, queued: false, help: { en, zh }, ...more })

/** What GET /api/commands answers. */
export const list = [
  command("approve", "[note]", "allows what waits for you", "允许等待你决定的操作"),
  command("deny", "[reason]", "refuses what waits for you", "拒绝等待你决定的操作"),
  command("runner", "[use NAME]", "lists the runners, or chooses one", "列出或选择运行器"),
  command("context", "[list|detail|mode default|mode none]", "says what the model sees", "说明模型看到的内容"),
  command("compact", "[focus]", "puts the beginning of the conversation into a summary", "把对话开头压缩成摘要", { aliases: ["compress"], queued: true }),
  command("rewind", "[N]", "takes the last turns out of the conversation", "撤回最近几轮对话", { queued: true }),
  command("fork", "[N]", "copies the conversation into a new one", "把对话复制为新对话"),
  command("usage", undefined, "says what was used", "显示用量"),
  command("help", undefined, "lists the commands", "列出命令"),
]

/** Carries out a command and appends its answer. `links` gives a path to a text. */
export async function carryOut(text, { session, approvals, runners, links }) {
  const content = text.startsWith("!") ? await bang(text.slice(1).trim(), links) : slash(text, session, approvals, runners)
  session.append({ role: "notice", origin: "command", content })
}

async function bang(command, links) {
  const start = Date.now()
  const { result, is_error } = await runTool({ name: "Shell", arguments: JSON.stringify({ command }) }, new AbortController().signal, () => undefined)
  const code = /exit code (\d+)\nDo NOT/.exec(result)?.[1] ?? "0"
  const output = is_error ? result.replace(/exit code \d+\nDo NOT[^]*$/, "") : result
  const end = `exit code ${code} · ${((Date.now() - start) / 1000).toFixed(1)} s`
  const block = "```\n" + output.slice(0, SHOWN).replace(/\n?$/, "\n") + "```"
  if (output.length <= SHOWN) return `${block}\n\n${end}`
  return `${block}\n\n${end}\n\n[whole output, ${(output.length / 1000).toFixed(1)} kB](${links.add(output, "output.txt")})`
}

function slash(text, session, approvals, runners) {
  const [name, ...rest] = text.slice(1).trim().split(/\s+/)
  if (name === "runner") return runnerAnswer(rest, runners)
  if (name === "context") return `${session.context.used} of ${session.context.max} tokens.`
  if (name === "usage" || name === "fork") return `The mock does not answer /${name}; the page has a way of its own.`
  const decision = name === "approve" ? "allow" : "deny"
  if (!approvals.answerOldest({ decision, note: rest.join(" ") })) return "Nothing waits for an answer."
  return decision === "allow" ? "Allowed." : "Denied."
}

function runnerAnswer([verb, name = ""], runners) {
  if (verb === "use") runners.choose({ name: name === "default" ? "" : name })
  const { runners: list, effective } = runners.view()
  const rows = list.map((runner) => `| \`${runner.name}\`${runner.name === effective ? " (in use)" : ""} | ${runner.online ? "online" : "offline"} |`)
  return ["| runner | state |", "| --- | --- |", ...rows].join("\n")
}

/** Texts and files that can be read without signing in, by an address that cannot be guessed. */
export class Links {
  #kept = new Map()

  add(content, name) {
    const token = randomBytes(16).toString("base64url")
    this.#kept.set(token, { content, name })
    return `/files/${token}`
  }

  read(token) {
    return this.#kept.get(token)
  }
}
