// Tools of the mock. Shell really runs, in a folder of its own under the system's temporary one.
import { spawn } from "node:child_process"
import { mkdtempSync, readFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join, resolve } from "node:path"

export const workspace = mkdtempSync(join(tmpdir(), "xbot-mock-"))

/** What a search of the web finds, as SearXNG tells it. */
export const found = Array.from({ length: 8 }, (_, n) => ({ url: `https://www.garden${n + 1}.example/tomatoes`, title: `Tomatoes, part ${n + 1}`, content: "They need the sun." }))

/** The argument a reader wants to see. */
export function summaryOf({ arguments: json }) {
  try {
    const values = JSON.parse(json)
    return String(values.command ?? values.path ?? values.pattern ?? values.query ?? "").split("\n")[0]
  } catch {
    return json.slice(0, 80)
  }
}

/** Runs a call; `signal` ends it. Returns what the model would read. */
export function runTool(call, signal, onOutput) {
  let values
  try {
    values = JSON.parse(call.arguments)
  } catch {
    return Promise.resolve(failure("the arguments are not JSON"))
  }
  if (call.name === "Shell") return shell(values.command ?? "", signal, onOutput)
  if (call.name === "Read") return Promise.resolve(read(values.path ?? ""))
  if (call.name === "WebSearch") return Promise.resolve({ result: found.map(({ title }, n) => `[${n + 1}] ${title}`).join("\n"), sources: found.map(({ url, title }) => ({ url, title })) })
  if (call.name === "todo_write") return Promise.resolve({ result: `${values.todos.length} entries.`, todos: values.todos.map((todo) => ({ done: false, ...todo })) })
  return Promise.resolve(failure(`there is no tool named ${call.name}`))
}

const failure = (text) => ({ result: `Error: ${text}\nPlease fix the issue and try again.`, is_error: true })

function read(path) {
  try {
    const lines = readFileSync(resolve(workspace, path), "utf8").split("\n")
    return { result: lines.map((line, n) => `${n + 1}\t${line}`).join("\n") }
  } catch {
    return failure(`${path} does not exist`)
  }
}

function shell(command, signal, onOutput) {
  return new Promise((done) => {
    const child = spawn("sh", ["-c", command], { cwd: workspace, detached: true, stdio: ["ignore", "pipe", "pipe"] })
    let output = ""
    const heard = (data) => {
      onOutput(Buffer.byteLength(output), data.toString())
      output += data
    }
    child.stdout.on("data", heard)
    child.stderr.on("data", heard)
    const kill = () => process.kill(-child.pid, "SIGKILL")
    signal.addEventListener("abort", kill, { once: true })
    child.on("close", (code) => {
      signal.removeEventListener("abort", kill)
      if (signal.aborted) done({ result: `${output}\ninterrupted`, is_error: true })
      else if (code === 0) done({ result: output || "(no output)" })
      else done({ result: `${output}exit code ${code}\nDo NOT retry the same command. Analyze the error, fix the root cause.`, is_error: true })
    })
  })
}
