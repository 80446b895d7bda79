import { describe, expect, test } from "vitest"

import type { Message, ToolEvent, Turn } from "../../api/types"
import { activityOf } from "./activity"
import { linesOf } from "./group-messages"
import { groupByTurn, lastReset } from "./groups"
import { emptyTurnFeed, type TurnFeed } from "./state"
import { isSkipped, tellTurn } from "./story"

const base = { session: "s", created_at: "2026-01-01T00:00:00Z", content: "" }
const user = (id: number, turn?: string): Message => ({ ...base, id, turn_id: turn, step: 0, role: "user", content: `question ${id}` })
const step = (id: number, n: number, over: Partial<Message> = {}): Message => ({ ...base, id, turn_id: "t", step: n, role: "assistant", ...over })
const call = (n: string, state: ToolEvent["state"] = "done"): ToolEvent => ({
  turn_id: "t", step: Number(n.split(".")[0]), id: `t.${n}`, name: "Shell", class: "exec", arguments: "{}", state,
})
const partial = (text: string) => ({ text, bytes: text.length, gap: false })
const live = (over: Partial<NonNullable<TurnFeed["live"]>>): TurnFeed => ({
  ...emptyTurnFeed,
  live: { step: 1, attempt: 1, text: partial(""), reasoning: partial(""), restarted: false, ...over },
})
const kinds = (messages: Message[], feed: TurnFeed = emptyTurnFeed) => tellTurn(messages, feed).map((entry) => entry.kind)

test("messages are grouped by turn in the order in which turns began", () => {
  const notice: Message = { ...base, id: 4, step: 0, role: "notice" }
  const groups = groupByTurn([user(1, "a"), user(2, "b"), step(3, 0, { turn_id: "a" }), notice])
  expect(groups.map((g) => [g.turn, g.messages.map((m) => m.id)])).toEqual([
    ["a", [1, 3]],
    ["b", [2]],
    [undefined, [4]],
  ])
})

test("a step is told as thought, text, tools", () => {
  const message = step(2, 0, { reasoning: "hm", content: "I will look.", tool_calls: [call("0.0")] })
  expect(kinds([user(1, "t"), message])).toEqual(["question", "thought", "text", "tools"])
})

test("tools of silent steps are one list", () => {
  const entries = tellTurn([step(2, 0, { tool_calls: [call("0.0")] }), step(3, 1, { tool_calls: [call("1.0"), call("1.1")] })], emptyTurnFeed)
  expect(entries).toHaveLength(1)
  expect(entries[0]).toMatchObject({ kind: "tools", calls: [{ id: "t.0.0" }, { id: "t.1.0" }, { id: "t.1.1" }] })
})

test("calls whose message has not come yet are told all the same", () => {
  const feed = { ...emptyTurnFeed, calls: { "t.0.0": call("0.0", "running") }, outputs: { "t.0.0": partial("1\n") } }
  expect(tellTurn([user(1, "t")], feed).at(-1)).toMatchObject({ kind: "tools", calls: [{ state: "running", output: { text: "1\n" } }] })
})

test("the live step comes last and keeps its ids when it settles", () => {
  const feed = live({ reasoning: partial("hm"), text: partial("so"), restarted: true, attempt: 2 })
  const writing = tellTurn([user(1, "t"), step(2, 0, { tool_calls: [call("0.0")] })], feed)
  expect(writing.map((e) => e.kind)).toEqual(["question", "tools", "restarted", "thought", "text"])
  const settled = tellTurn([user(1, "t"), step(2, 0, { tool_calls: [call("0.0")] }), step(3, 1, { reasoning: "hm", content: "so on" })], emptyTurnFeed)
  expect(settled.map((e) => e.id)).toEqual(writing.map((e) => e.id).filter((id) => id !== "s1x"))
})

test("the voice says the most telling thing", () => {
  const retry = { turn_id: "t", step: 0, attempt: 2, max: 5, delay_ms: 1000, reason: "timeout", text: "" }
  expect(activityOf([], { ...live({ text: partial("x") }), retry }, false).kind).toBe("retrying")
  expect(activityOf([], live({ text: partial("x"), toolName: "Shell" }), false)).toEqual({ kind: "calling", tool: "Shell" })
  expect(activityOf([], live({ text: partial("x") }), false).kind).toBe("writing")
  expect(activityOf([], live({ reasoning: partial("x") }), false).kind).toBe("thinking")
  expect(activityOf([user(1, "t")], emptyTurnFeed, false).kind).toBe("waiting")
})

test("a turn that waits for its provider says so, also after a reconnection, until the model writes", () => {
  const waits = { since: "2026-03-02T10:00:00Z", until: "2026-03-03T10:00:00Z", reason: "network" }
  const turn = { id: "t", session: "s", state: "running", steps: 1, usage: { prompt_tokens: 0, completion_tokens: 0 }, started_at: "2026-03-02T09:00:00Z", waits } satisfies Turn
  expect(activityOf([user(1, "t")], { ...emptyTurnFeed, turn }, true)).toEqual({ kind: "provider", wait: waits })
  expect(activityOf([user(1, "t")], { ...live({ text: partial("x") }), turn }, false).kind).toBe("writing")
})

test("after a reconnection nothing old is told as if it still went on", () => {
  const old = live({ text: partial("x") })
  expect(activityOf([user(1, "t")], old, true).kind).toBe("unheard")
  expect(activityOf([user(1, "t")], { ...old, heard: true }, true).kind).toBe("writing")
})

test("only calls of the newest step can be running", () => {
  const feed = { ...emptyTurnFeed, calls: { "t.0.0": call("0.0", "running"), "t.1.0": call("1.0", "running") } }
  expect(activityOf([step(2, 0), step(3, 1)], feed, false)).toMatchObject({ kind: "tools", names: ["Shell"] })
})

test("a plan waits for an answer, a call for a permission", () => {
  const approval = { state: "open", asked_at: "2026-01-01T00:00:00Z" } as const
  const asks = (more: Partial<ToolEvent>): TurnFeed => ({ ...emptyTurnFeed, calls: { "t.0.0": { ...call("0.0", "open"), approval, ...more } } })
  expect(activityOf([step(2, 0)], asks({}), false)).toEqual({ kind: "asking", tool: "Shell" })
  expect(activityOf([step(2, 0)], asks({ approval: { ...approval, plan: { steps: ["dig"] } } }), false)).toEqual({ kind: "inquiring" })
})

test("a command stands with its answer, and the answer finds it by its id", () => {
  const command = (id: number, inbox: number): Message => ({ ...user(id), origin: "command", inbox_id: inbox })
  const answered = (id: number, inbox?: number): Message => ({ ...base, id, step: 0, role: "notice", origin: "command", inbox_id: inbox })
  const ids = (messages: Message[]) => groupByTurn(messages).map((g) => [g.command, g.messages.map((m) => m.id)])
  expect(ids([command(1, 11), command(2, 12), answered(3, 11), answered(4, 12)])).toEqual([[true, [1, 3]], [true, [2, 4]]])
  expect(ids([command(1, 11), answered(2)])).toEqual([[true, [1, 2]]])
  expect(ids([command(1, 11), step(2, 0), answered(3)])).toEqual([[true, [1]], [undefined, [2]], [true, [3]]])
})

test("the end of a background task is no question of the person", () => {
  expect(kinds([{ ...user(1, "t"), origin: "background" }, step(2, 0, { content: "It passed." })])).toEqual(["background", "text"])
})

test("a call that waits for a person is what the turn waits for", () => {
  const approval = { state: "open", asked_at: base.created_at } as const
  const feed = { ...emptyTurnFeed, calls: { "t.0.0": { ...call("0.0", "open"), approval }, "t.0.1": call("0.1", "running") } }
  expect(activityOf([step(1, 0)], feed, false)).toEqual({ kind: "asking", tool: "Shell" })
})

test("what became of the context is told in its turn, beside a command on its own", () => {
  const notice = (id: number, over: Partial<Message>): Message => ({ ...base, id, step: 0, role: "notice", origin: "context", ...over })
  const turn = [user(1, "t"), notice(2, { turn_id: "t" }), step(3, 0, { content: "yes" })]
  expect(kinds(turn)).toEqual(["question", "compaction", "text"])
  expect(groupByTurn(turn).map((group) => group.context)).toEqual([undefined])
  const asked: Message = { ...user(4, "c"), origin: "command", content: "/compact", inbox_id: 7 }
  const groups = groupByTurn([asked, notice(5, { turn_id: "c" }), notice(6, { turn_id: "c", origin: "command", inbox_id: 7 })])
  expect(groups.map((group) => [group.command, group.context, group.messages.map(({ id }) => id)])).toEqual([
    [true, undefined, [4, 6]],
    [undefined, true, [5]],
  ])
})

test("a compression that was asked for ends its command, which gets no other answer", () => {
  const asked: Message = { ...user(1, "c"), origin: "command", content: "/compact", inbox_id: 7 }
  const done: Message = { ...base, id: 2, step: 0, role: "notice", origin: "context", turn_id: "c", inbox_id: 7 }
  expect(groupByTurn([asked]).map((group) => group.settled)).toEqual([undefined])
  expect(groupByTurn([asked, done]).map((group) => group.settled)).toEqual([true, undefined])
})

test("a compression is said until the model writes", () => {
  expect(activityOf([user(1, "t")], live({ doing: "compress" }), false)).toEqual({ kind: "compressing" })
  expect(activityOf([user(1, "t")], live({ text: partial("so") }), false)).toEqual({ kind: "writing" })
})

describe("what people said", () => {
  const said = (id: number, over: Partial<Message> = {}): Message => ({ ...user(id, "t"), ...over })

  test("messages that came together are one question, one that came later was taken in by the turn", () => {
    const entries = tellTurn([said(1), said(2), step(3, 0, { content: "on it" }), said(4), step(5, 1, { content: "changed" })], emptyTurnFeed)
    expect(entries.map((entry) => (entry.kind === "question" ? [entry.taken, entry.messages.map(({ id }) => id)] : entry.kind))).toEqual([
      [false, [1, 2]], "text", [true, [4]], "text",
    ])
  })

  test("what was replaced, overheard or summarized is no question", () => {
    const origins = ["overheard", "summarized", "superseded", "continue"] as const
    const entries = tellTurn(origins.map((origin, n) => said(n + 1, { origin })), emptyTurnFeed)
    expect(entries.map(({ kind }) => kind)).toEqual(["aside", "aside", "superseded", "continued"])
  })

  test("silence is told without the words of the model, and an answer that was kept back says so", () => {
    const entries = tellTurn([step(1, 0, { content: "NO_REPLY", silent: true }), step(2, 1, { content: "hi", undelivered: true })], emptyTurnFeed)
    expect(entries).toMatchObject([{ kind: "silent" }, { kind: "text", text: "hi", undelivered: true, message: 2 }])
  })

  test("a list of the server is read line by line, indented lines with the one above", () => {
    const content = "[Chat messages since your last reply, for context]\nLin: again\n  and again\n- see the board"
    expect(linesOf([said(1, { origin: "overheard", content })]).map(({ sender, text }) => [sender, text])).toEqual([["Lin", "again\nand again"], [undefined, "see the board"]])
  })

  test("a skipped call is known by its words", () => {
    const done = { ...call("0.0"), is_error: true, result: "Not run: skipped to process an incoming message." }
    expect([done, { ...done, result: "failed" }, call("0.1")].map(isSkipped)).toEqual([true, false, false])
  })
})

test("a new beginning stands by itself, and its greeting below it", () => {
  const anew: Message[] = [
    user(1, "a"),
    { ...user(2, "c"), origin: "command", content: "/new", inbox_id: 7 },
    { ...base, id: 3, step: 0, turn_id: "c", role: "notice", origin: "reset", content: "New conversation." },
    { ...base, id: 4, step: 0, turn_id: "c", role: "notice", origin: "command", content: "What shall we do?", inbox_id: 7 },
    user(5, "b"),
  ]
  const groups = groupByTurn(anew)
  expect(groups.map((group) => group.messages.map(({ id }) => id))).toEqual([[1], [2], [3], [4], [5]])
  expect([groups[1]?.settled, groups[2]?.reset, lastReset(groups)]).toEqual([true, true, 2])
  expect(lastReset(groupByTurn([user(1, "a")]))).toBe(-1)
})
