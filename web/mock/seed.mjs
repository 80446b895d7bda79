// Conversations in every state a turn can be in, so that all of them can be looked at.
import { randomUUID } from "node:crypto"

import { Session } from "./session.mjs"
import { Team } from "./team.mjs"

const MINUTE = 60_000
const DAY = 24 * 60 * MINUTE
const ago = (milliseconds) => new Date(Date.now() - milliseconds).toISOString()

export function seed(server) {
  const add = (id, title, age, over = {}) =>
    server.add(new Session(`agent:main:web:thread:${id}`, { title, created_at: ago(age), updated_at: ago(age), ...over }))
  const release = add("release", "Ship the new importer", 8 * MINUTE)
  handed(release)
  release.team = server.team = new Team(server, release)
  server.hooks.defer(add("push", "Push the release", 2 * MINUTE), { name: "Shell", args: { command: "git push --tags origin release/2.4" }, reason: "Pushes to the release branch are looked at by a second person." })
  longStory(add("story", "Find why the nightly build fails", 20 * MINUTE))
  markdown(add("markdown", "Compare three sorting algorithms", 2 * 60 * MINUTE, { pinned: true }))
  endings(add("endings", "Turns that ended badly", 5 * 60 * MINUTE))
  manySteps(add("steps", "Rename the package everywhere", 26 * 60 * MINUTE))
  beside(add("beside", "Keep the tests running", 3 * 60 * MINUTE))
  long(add("long", "Port the importer to the new schema", 6 * 60 * MINUTE))
  chinese(add("zh", "用中文解释快速排序", 27 * 60 * MINUTE))
  plain(add("trip", "Plan a week in the Dolomites with a very long title that does not fit", 3 * DAY))
  group(add("group", "Who is on call this week?", 35 * MINUTE, { channel: "feishu", chat_type: "group", agent: "ops", origin: { label: "Platform team", provider: "feishu", subject: "Platform team", account_id: "default" } }))
  anew(add("anew", "Sketch a plan for the garden", 4 * 60 * MINUTE))
  plain(add("feishu", "Release notes for Tuesday", 4 * DAY, { channel: "feishu", origin: { label: "Lin", provider: "feishu" } }))
  plain(add("thread", "Why is the disk full?", 5 * DAY, { channel: "feishu", chat_type: "thread", agent: "ops", origin: { label: "Platform team › disk", provider: "feishu", thread_id: "omt_1" } }))
  plain(add("qq", "Rename the photos", 6 * DAY, { channel: "qq", origin: { label: "288104", provider: "qq" } }))
  plain(add("cron", "Weekly report", 7 * DAY, { channel: "cron", chat_type: "cron" }))
  marathon(add("marathon", "Go through the whole handbook", 13 * DAY))
  plain(add("cli", "Draft the incident report", 12 * DAY, { channel: "cli" }))
}

/** A finished turn: a question, steps of [calls, text, reasoning], and how it ended. */
export function tell(session, question, steps, { state = "done", notice, origin, seconds = 14, sender, before = [] } = {}) {
  const id = randomUUID()
  const start = Date.now() - seconds * 1000 - 60_000
  const at = (part) => new Date(start + part * seconds * 1000).toISOString()
  for (const said of before) session.append({ role: "user", turn_id: id, created_at: at(0), ...said })
  session.append({ role: "user", turn_id: id, origin, sender, content: question, inbox_id: 1000 + session.log.length, client_message_id: randomUUID(), created_at: at(0) })
  const turn = { id, session: session.key, run_id: `run-${id}`, state, steps: steps.length, model: "mock/scripted", usage: { prompt_tokens: 1840 * steps.length, cached_tokens: 1024, completion_tokens: 212 * steps.length }, started_at: at(0), ended_at: at(1) }
  turn.temporal_url = `/temporal/namespaces/default/workflows/${encodeURIComponent(`turn/${session.key}`)}/${id}/history`
  steps.forEach((step, n) => {
    const calls = (step.calls ?? []).map(([name, args, result, is_error, over], i) => ({
      id: `${id}.${n}.${i}`, name, class: "exec", arguments: JSON.stringify(args), summary: Object.values(args)[0], result, is_error,
      state: result === undefined ? "open" : "done",
      started_at: at((n + 0.5 + i * 0.1) / steps.length), finished_at: result === undefined ? undefined : at((n + 0.6 + i * 0.1) / steps.length),
      ...over,
    }))
    session.append({
      role: "assistant", turn_id: id, step: n, content: step.text ?? "", reasoning: step.reasoning, tool_calls: calls.length > 0 ? calls : undefined,
      silent: step.silent, undelivered: step.undelivered, model: "mock/scripted", finish_reason: step.finish ?? (calls.length > 0 ? "tool_calls" : "stop"),
      usage: step.usage ?? { prompt_tokens: 1840, completion_tokens: 212 }, created_at: at((n + 0.4) / steps.length),
    })
  })
  if (notice) session.append({ role: "notice", turn_id: id, content: notice, created_at: at(1) })
  session.turns.unshift(turn)
  session.tell("turn", turn)
}

function handed(session) {
  tell(session, "Port the importer to the new driver. Let others help you.", [
    { calls: [["SubAgent", { action: "spawn", role: "explorer", task: "Find who still calls the old importer" }, "Nobody calls it but `cmd/legacy`."], ["CreateChat", { type: "group", members: ["coder", "reviewer", "tester"], topic: "Which name should the new package have?" }, "Group chat g1 has begun. What was said comes to this conversation as a message when it is over."]] },
    { text: "Three are at work, and three talk about the name. I will tell you when they are done." },
  ])
  session.todos = [
    { id: "1", text: "Find the callers", done: true },
    { id: "2", text: "Port the importer", done: false },
    { id: "3", text: "Delete `cmd/legacy`", done: false },
  ]
}

/** A conversation of months. */
function marathon(session) {
  for (let n = 1; n <= 400; n++) {
    tell(session, `Chapter ${n}?`, [
      { calls: [["Read", { path: `chapters/${n}.md` }, `# Chapter ${n}`]] },
      { text: `**Chapter ${n}** says:\n\n${"It is about how things are done here, and why. ".repeat(1 + (n % 7))}\n\n* one\n* two\n\n\`\`\`go\nfunc chapter() int { return ${n} }\n\`\`\`` },
    ])
  }
}

function longStory(session) {
  tell(session, "The nightly build fails since Tuesday. Can you find out why?", [
    { reasoning: "The build runs from a Makefile.\nI should look at the log first, then at what changed on Tuesday.", text: "I will look at the last log and at what changed on Tuesday.", calls: [["Shell", { command: "tail -n 40 build/nightly.log" }, "ok   \tstore\t2.114s\nok   \tfeed\t1.902s\n--- FAIL: TestResume (0.42s)\n    resume_test.go:88: cursor went back: 6 after 7\nFAIL\tfeed/resume\t0.431s\nmake: *** [Makefile:31: test] Error 1\n"], ["Shell", { command: "git log --oneline --since=tuesday" }, "9b1d2e4 Read events without the lock\n51c77aa Bump the toolchain\n"]] },
    { calls: [["Grep", { pattern: "FOR UPDATE", path: "internal/feed" }, "internal/feed/read.go:41: -- FOR UPDATE was here\n"], ["Read", { path: "internal/feed/read.go" }, "36\tfunc (r *Reader) next(ctx context.Context) ([]Event, error) {\n37\t\trows, err := r.db.Query(ctx, selectAfter, r.cursor)\n38\t\t…\n"], ["Shell", { command: "go test ./internal/feed -run TestResume -count 20" }, "--- FAIL: TestResume (0.42s)\nexit code 1\nDo NOT retry the same command. Analyze the error, fix the root cause.", true]] },
    { text: "The build fails because of commit `9b1d2e4`, *Read events without the lock*.\n\nThe reader no longer takes the row lock, so it can see event 7 before event 6 is committed. `TestResume` then finds that the cursor went back.\n\nTwo ways to mend it:\n\n1. **Take the lock again.** One line, costs about 0.3 ms a read.\n2. **Number events at commit time.** No lock, but the writer has to be changed too.\n\n```go\nconst selectAfter = `\nSELECT seq, kind, data\n  FROM feed_events\n WHERE session = $1 AND seq > $2\n ORDER BY seq\n   FOR UPDATE`\n```\n\nI would start with the first one. Shall I make the change?" },
  ], { seconds: 34 })
  tell(session, "Yes, please. And run the tests again.", [
    { calls: [["FileReplace", { path: "internal/feed/read.go", old_string: " ORDER BY seq`", new_string: " ORDER BY seq\n   FOR UPDATE`" }, "1 replacement in internal/feed/read.go"], ["Shell", { command: "go test ./internal/feed -count 20" }, "ok  \tfeed\t8.731s\nok  \tfeed/resume\t8.204s\n"]] },
    { text: "Done. The lock is back in `internal/feed/read.go`, and both packages pass 20 times in a row." },
  ], { seconds: 21 })
  session.todos = [
    { id: "1", text: "Find the failing test", done: true },
    { id: "2", text: "Restore the row lock", done: true },
    { id: "3", text: "Tell the team why the order matters", done: false },
  ]
}

function markdown(session) {
  tell(session, "Compare three sorting algorithms, with code for one of them.", [
    { reasoning: "A table is the clearest form.", text: "## Three ways to sort\n\nAll three sort in place or nearly so; they differ in the worst case and in whether equal elements keep their order.\n\n| Algorithm | Average | Worst | Stable | Memory |\n| --- | ---: | ---: | --- | ---: |\n| Quicksort | $O(n \\log n)$ | $O(n^2)$ | no | $O(\\log n)$ |\n| Merge sort | $O(n \\log n)$ | $O(n \\log n)$ | yes | $O(n)$ |\n| Heapsort | $O(n \\log n)$ | $O(n \\log n)$ | no | $O(1)$ |\n\n### Why quicksort is fast on average\n\nThe expected number of comparisons with a random pivot is\n\n\\[\n2(n+1)\\sum_{k=1}^{n}\\frac{1}{k} - 4n \\approx 1.39\\, n \\log_2 n\n\\]\n\nwhich is only 39 % more than the best possible.\n\n```python\nfrom random import choice\n\ndef quicksort(items: list[int]) -> list[int]:\n    \"\"\"Return the items in ascending order.\"\"\"\n    if len(items) < 2:\n        return items\n    pivot = choice(items)\n    return (\n        quicksort([x for x in items if x < pivot])\n        + [x for x in items if x == pivot]\n        + quicksort([x for x in items if x > pivot])\n    )\n```\n\n> Choose merge sort when equal elements must keep their order, heapsort when memory is short.\n\n- [x] Compared by time\n- [x] Compared by memory\n- [ ] Measured on real data\n\nMore in the [Wikipedia article](https://en.wikipedia.org/wiki/Sorting_algorithm). It cost $0 to $5 to find out." },
  ])
}

function endings(session) {
  tell(session, "Write a very long story", [{ text: "Once upon a time there was a workflow that nobody could stop, until somebody", finish: "stopped" }], { state: "stopped" })
  tell(session, "Ask the unreachable model", [], { state: "failed", notice: "⚠️ The model did not answer: server error (503). Five attempts failed; try again later." })
  tell(session, "Run something and be terminated", [{ calls: [["Shell", { command: "sleep 3600" }, "outcome unknown: the turn was closed while this ran. Verify before repeating.", true]] }], { state: "lost", notice: "This turn was closed from outside while a command ran. What the command did is not known; please check before you repeat it." })
  tell(session, "Tell me everything", [{ text: "Everything is a long story. It begins with", finish: "length" }])
  session.append({ role: "notice", content: "The conversation was moved to the model mock/scripted." })
}

function manySteps(session) {
  const calls = Array.from({ length: 11 }, (_, n) => ({ calls: [["FileReplace", { path: `internal/old/file${n + 1}.go`, old_string: "old", new_string: "new" }, n === 3 ? "Error: old_string was not found." : "1 replacement", n === 3]] }))
  tell(session, "Rename package old to new in every file.", [...calls, { text: "Ten of eleven files are changed. `file4.go` does not mention the package." }], { seconds: 95 })
}

/** Questions that were answered, a task that ended, commands. */
function beside(session) {
  const at = ago(40 * MINUTE)
  const allowed = { state: "allowed", reason: "Old results would hide the failure.", asked_at: at, answered_at: at, answered_by: "admin" }
  const denied = { state: "denied", asked_at: at, answered_at: at, answered_by: "admin", note: "not on a Friday" }
  tell(session, "Clean up, run the whole suite and deploy.", [
    { calls: [["Shell", { command: "rm -rf build" }, "(no output)", false, { approval: allowed }], ["Shell", { command: "make test", background: true }, "The command goes on as background task bg1.", false, { task: "bg1" }], ["Shell", { command: "make deploy" }, "The user denied this call: not on a Friday", true, { approval: denied }]] },
    { text: "The tests run in the background. I did not deploy, as you said." },
  ])
  session.tasks.recall({ id: "bg1", call_id: "c", command: "make test", runner: "local", state: "exited", code: 2, started_at: at, ended_at: ago(28 * MINUTE) }, "ok  \tstore\t2.1s\nFAIL\tfeed\t0.4s\nmake: *** [Makefile:31: test] Error 1\n")
  tell(session, "[background task bg1 ended: exit code 2 after 12 min]\ncommand: make test\nok  \tstore\t2.1s\nFAIL\tfeed\t0.4s\nmake: *** [Makefile:31: test] Error 1\n", [{ text: "The suite failed in `feed`. Shall I look into it?" }], { origin: "background" })
  session.append({ role: "user", origin: "command", content: "!git status --short", inbox_id: 9001 })
  session.append({ role: "notice", origin: "command", content: "```\n M internal/feed/read.go\n?? notes.txt\n```\n\nexit code 0 · 0.1 s" })
  session.append({ role: "user", origin: "command", content: "/runner", inbox_id: 9002 })
  session.append({ role: "notice", origin: "command", content: "| runner | state |\n| --- | --- |\n| local (in use) | online |\n| laptop | offline |" })
}

/** A conversation that has nearly filled its window: offloaded and masked results, two compactions. */
function long(session) {
  const log = Array.from({ length: 60_000 }, (_, n) => `${String(n + 1).padStart(6, "0")}\tINSERT INTO items VALUES (${n}, 'item ${n}')`).join("\n")
  tell(session, "Port the importer to the new schema. The old dump is in dump.sql.", [
    { calls: [["Read", { path: "dump.sql" }, "…"]] },
    { text: "The dump has 60,000 rows in one table. I will write a migration that splits it into two." },
  ])
  session.context.compact({ trigger: "auto" })
  tell(session, "Good. Keep the ids as they are.", [{ text: "The ids stay. `import_items` reads them from the dump.", usage: { prompt_tokens: 148_200, completion_tokens: 2_100 } }])
  const [call] = session.messages.flatMap((message) => message.tool_calls ?? [])
  Object.assign(call, session.context.offload(call, log))
  Object.assign(session.context, { masks: 14, stale: 1, edits: 2 })
}

/** A group: what was said before, several senders, a message that a newer one replaced, silence, an answer that was kept back. */
function group(session) {
  const overheard = ["[Chat messages since your last reply, for context]", "Lin: the alert fired again at four", "Mara: was it the same disk?", "Lin: I think so", "  but the graph looks different", "- see the board"]
  tell(session, "Who is on call this week?", [
    { calls: [["Grep", { pattern: "on-call", path: "rota.md" }, "week 47: Mara\nweek 48: Lin\n"]] },
    { text: "Mara is on call until Sunday, then Lin." },
  ], { sender: "Lin", before: [{ origin: "overheard", content: overheard.join("\n") }] })
  const taken = "What about the disk of the database host?"
  tell(session, "Sorry, I mean the disks of all hosts", [{ text: "Two hosts are above 80 %: `db1` with 91 % and `log2` with 84 %. The others have room." }], {
    sender: "Mara", before: [{ origin: "superseded", content: taken, sender: "Mara", inbox_id: 8001 }],
  })
  tell(session, "Thanks both!", [{ text: "[[silent]]", silent: true }], { sender: "Lin" })
  tell(session, "Post the list here every morning, please", [{ text: "I have planned it for nine o'clock.", undelivered: true }], {
    sender: "Mara", before: [{ origin: "summarized", content: "Messages that found the queue full and get no answer of their own (2), each cut to one line:\n- Lin: and the backups?\n- Mara: later" }],
  })
}

/** A conversation that began anew twice, by its idle time and because somebody asked. */
function anew(session) {
  tell(session, "Sketch a plan for the garden", [{ text: "Three beds along the south wall, herbs by the door, and a tree in the corner where the shade does not matter." }])
  session.reset(undefined, "idle", "New conversation: nobody had written here since 18:20.")
  tell(session, "What grows in half shade?", [{ text: "Currants, rhubarb and most herbs that like it moist: mint, parsley, chives." }])
  session.append({ role: "user", origin: "command", content: "/new", turn_id: "anew", inbox_id: 9101 })
  session.reset("anew", "new", "New conversation.")
  session.append({ role: "notice", origin: "command", turn_id: "anew", inbox_id: 9101, content: "What shall we do? Answers come from mock/scripted." })
  tell(session, "Count the seeds", [{ text: "There are 48 bags." }])
}

function chinese(session) {
  tell(session, "用中文解释一下快速排序,并给一个例子。", [{ reasoning: "先说思路，再举例。", text: "快速排序的思路是**分而治之**：\n\n1. 选一个基准元素；\n2. 把比它小的放左边，比它大的放右边；\n3. 对左右两边重复以上步骤。\n\n例如 `[3, 1, 2]`，以 `3` 为基准，左边是 `[1, 2]`，右边为空，结果就是 `[1, 2, 3]`。" }])
}

function plain(session) {
  tell(session, session.title, [{ text: "Here is a first draft. Tell me what to change." }])
}
