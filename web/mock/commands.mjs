// What a person runs beside the conversation: bang commands, and the slash commands of the server.
import { randomBytes } from "node:crypto"

import { runTool } from "./tools.mjs"

/** Characters of an output that are shown; of a longer one there is a link to the whole. */
const SHOWN = 4000

export const isCommand = (text) => /^!\s*\S/.test(text) || (/^\/[a-z]+(\s|$)/.test(text) && !isQueued(text) && !isDirective(text))

/** It begins with what holds for the message alone; the model reads the rest. */
const isDirective = (text) => /^\/(think|t)[: ]\s*[a-z]+\s+\S/.test(text)

/** A command that waits for its place among the messages. */
export const isQueued = (text) => /^\/(compact|compress|rewind|new|reset|model)(\s|$)/.test(text)

const command = (group, name, args, en, zh, more) => ({
  name, args, usage: `/${name} ${args ?? ""}`.trim(), group, who: "anyone", inline: false, queued: false, help: { en, zh }, ...more,
})

/** What GET /api/commands answers. */
export const list = [
  command("conversation", "new", "[MODEL] [TEXT…]", "begins a new conversation", "开始新对话", { aliases: ["reset"], queued: true }),
  command("conversation", "rewind", "[N]", "takes the last turns out of the conversation", "撤回最近几轮对话", { queued: true }),
  command("conversation", "fork", "[N]", "copies the conversation into a new one", "把对话复制为新对话"),
  command("conversation", "approve", "[NOTE…]", "allows what waits for you", "允许等待你决定的操作"),
  command("conversation", "deny", "[REASON…]", "refuses what waits for you", "拒绝等待你决定的操作"),
  command("model", "model", "[MODEL|default]", "says or chooses who answers", "显示或选择模型", { words: ["default"], queued: true }),
  command("model", "think", "[off|minimal|low|medium|high|xhigh]", "says or sets how much the model thinks", "显示或设置思考强度", { aliases: ["t"], words: ["off", "minimal", "low", "medium", "high", "xhigh"] }),
  command("context", "context", "[list|detail|mode default|mode none]", "says what the model sees", "说明模型看到的内容", { words: ["list", "detail", "mode default", "mode none"] }),
  command("context", "compact", "[FOCUS…]", "puts the beginning of the conversation into a summary", "把对话开头压缩成摘要", { aliases: ["compress"], queued: true }),
  command("context", "usage", undefined, "says what was used", "显示用量"),
  command("queue", "queue", "[steer|followup|collect|interrupt|supersede|default]", "says or sets how messages wait", "显示或设置消息如何等待", { words: ["steer", "followup", "collect", "interrupt", "supersede", "default"] }),
  command("folder", "runner", "[list|use NAME]", "lists the runners, or chooses one", "列出或选择运行器", { words: ["list", "use "] }),
  command("server", "status", undefined, "says how things stand", "显示状态", { inline: true }),
  command("server", "help", undefined, "lists the commands", "列出命令"),
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
  if (name === "queue") return queueAnswer(rest, session)
  if (name === "status") return `Model ${session.model || "mock/scripted"}, ${session.queued.length} waiting.`
  if (!list.some((known) => known.name === name || known.aliases?.includes(name))) return `There is no command \`/${name}\`. Did you mean \`/${nearest(name)}\`?`
  if (name === "think") return `Thinking from the next answer on: ${rest[0] ?? "its default"}.`
  if (name === "usage" || name === "fork") return `The mock does not answer /${name}; the page has a way of its own.`
  const decision = name === "approve" ? "allow" : "deny"
  if (!approvals.answerOldest({ decision, note: rest.join(" ") })) return "Nothing waits for an answer."
  return decision === "allow" ? "Allowed." : "Denied."
}

/** The command that shares most letters with a word. */
function nearest(word) {
  const shared = (name) => [...new Set(name)].filter((letter) => word.includes(letter)).length - Math.abs(name.length - word.length)
  return list.map(({ name }) => name).sort((a, b) => shared(b) - shared(a))[0]
}

function queueAnswer([mode], session) {
  if (!mode) return `Messages wait as **${session.queue.mode || "steer"}** says.`
  session.queue = mode === "default" ? {} : { mode }
  session.tell("session", session.view())
  return `From now on: **${session.queue.mode || "the default"}**.`
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
    const token = randomBytes(32).toString("base64url")
    this.#kept.set(token, { content, name })
    return `/files/${token}`
  }

  read(token) {
    return this.#kept.get(token)
  }
}
