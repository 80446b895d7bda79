// An example of a plugin: a hook that refuses tool calls with secrets. main.mjs is this file bundled with the SDK; "make gen" writes it.
import { Plugin, type Answer, type Payload } from "../../../sdk/typescript/plugin.ts"

/** What secrets look like, by what they are. None of the expressions can take long: they have no nested repetitions. */
const kinds: [string, RegExp][] = [
  ["a key of AWS", /\b(AKIA|ASIA)[0-9A-Z]{16}\b/],
  ["a token of GitHub", /\b(gh[pousr]_[A-Za-z0-9]{36}|github_pat_[A-Za-z0-9_]{60})/],
  ["a key of OpenAI or Anthropic", /\bsk-[A-Za-z0-9_-]{32}/],
  ["a token of Slack", /\bxox[abprs]-[A-Za-z0-9-]{20}/],
  ["a key of Google", /\bAIza[A-Za-z0-9_-]{35}/],
  ["a private key", /-----BEGIN [A-Z ]{0,20}PRIVATE KEY-----/],
]

const plugin = new Plugin()

/** Says what secret a text holds; undefined: none is known. */
function secretIn(text: string): string | undefined {
  for (const [what, pattern] of kinds) if (pattern.test(text)) return what
  const own = String(plugin.settings.pattern ?? "")
  if (own !== "" && new RegExp(own).test(text)) return "what an administrator calls a secret"
  return undefined
}

/** All texts of a value, so that no escaping of JSON hides one. */
function texts(value: unknown): string {
  if (typeof value === "string") return value
  if (Array.isArray(value)) return value.map(texts).join("\n")
  if (value && typeof value === "object") return Object.entries(value).map(([name, v]) => name + "\n" + texts(v)).join("\n")
  return ""
}

/** Counts by keys of their own, so that a count that two processes write at once is not lost. An event that is told twice counts once. */
async function count(payload: Payload): Promise<void> {
  await plugin.storage().set("refused/" + payload.event_id.slice(0, 200), new Date().toISOString())
}

plugin.onHook(async (payload): Promise<Answer> => {
  if (payload.hook_event_name === "UserPromptSubmit") {
    const what = secretIn(payload.prompt ?? "")
    return what ? { context: `The message of the person holds ${what}. Do not repeat it, and advise them to replace it.` } : {}
  }
  const what = secretIn(texts(payload.tool_input))
  if (!what) return {}
  await count(payload).catch((err: unknown) => plugin.log("warn", `a refusal is not counted: ${String(err)}`))
  return { decision: plugin.settings.action === "ask" ? "ask" : "deny", reason: `the call holds ${what}, which does not belong into commands and files: name a variable or a file instead` }
})

plugin.command("guard", async (command) => {
  let refused = 0
  for (let after = ""; ; ) {
    const keys = await plugin.storage().list("refused/", after)
    refused += keys.length
    after = keys.at(-1) ?? ""
    if (keys.length < 1000) break
  }
  return command.language === "zh" ? `已拒绝 ${refused} 次调用。` : `The guard has refused ${refused} calls.`
})

plugin.run()
