import { describe, expect, test } from "vitest"

import type { Delta, FeedEvent, Message, Session, Task, ToolEvent, Turn } from "../../api/types"
import { callsOfStep, isAsking } from "./merge"
import { reduceFeed } from "./reduce"
import { emptyFeed, type FeedState, runningTurn } from "./state"

const key = "agent:main:web:thread:1"
const now = "2026-01-01T00:00:00Z"
const usage = { prompt_tokens: 0, completion_tokens: 0 }

const session: Session = {
  key, channel: "web", title: "", pinned: false, cwd: "", runner: "local", queued: 0, seq: 0, created_at: now, updated_at: now, context_used: 0, context_max: 0,
  agent: "main", chat_type: "direct", origin: {}, queue: {},
}

const user = (id: number, over: Partial<Message> = {}): Message => ({
  id, session: key, turn_id: "t1", step: 0, role: "user", content: "hi", inbox_id: id, client_message_id: `c${id}`, created_at: now, ...over,
})
const answer = (id: number, step: number, over: Partial<Message> = {}): Message => ({
  id, session: key, turn_id: "t1", step, role: "assistant", content: "whole", created_at: now, ...over,
})
const turn = (state: Turn["state"], over: Partial<Turn> = {}): Turn => ({
  id: "t1", session: key, state, steps: 1, usage, started_at: now, ...over,
})
const tool = (n: number, state: ToolEvent["state"], over: Partial<ToolEvent> = {}): ToolEvent => ({
  turn_id: "t1", step: 0, id: `t1.0.${n}`, name: "Shell", class: "exec", arguments: "{}", state, ...over,
})
const task = (n: number, state: Task["state"], over: Partial<Task> = {}): Task => ({
  id: `bg${n}`, call_id: `t1.0.${n}`, command: "make", runner: "local", state, code: 0, total: 0, started_at: now, ...over,
})
const output = (offset: number, text: string): FeedEvent => ({
  kind: "output",
  data: { turn_id: "t1", call_id: "t1.0.0", offset, text },
})
const delta = (over: Partial<Delta> = {}): FeedEvent => ({
  kind: "delta",
  data: { turn_id: "t1", step: 0, attempt: 1, offset: 0, reasoning_offset: 0, ...over },
})

const loaded = reduceFeed(emptyFeed, {
  type: "snapshot",
  snapshot: { messages: [], queued: [], todos: [], tasks: [], seq: 0, hasMore: false },
})

const play = (events: FeedEvent[], from: FeedState = loaded): FeedState => reduceFeed(from, { type: "events", events })

const hello = (seq = 0): FeedEvent => ({ kind: "hello", data: { seq, session } })

/** A whole turn with one tool call, as the feed tells it. */
const story: FeedEvent[] = [
  { seq: 1, kind: "queued", data: { inbox_id: 1, client_message_id: "c1", text: "hi" } },
  { seq: 2, kind: "message", data: user(1) },
  { seq: 3, kind: "turn", data: turn("running") },
  { seq: 4, kind: "message", data: answer(2, 0, { content: "", tool_calls: [tool(0, "open")] }) },
  { seq: 5, kind: "tool", data: tool(0, "running") },
  { seq: 6, kind: "tool", data: tool(0, "done", { result: "ok" }) },
  { seq: 7, kind: "message", data: answer(3, 1) },
  { seq: 8, kind: "turn", data: turn("done") },
]

describe("durable events", () => {
  test("a turn told in order leaves its messages, its end and an empty queue", () => {
    const state = play(story)
    expect(state.messages.map((m) => m.id)).toEqual([1, 2, 3])
    expect(state.queued).toEqual([])
    expect(state.turns.t1?.turn?.state).toBe("done")
    expect(state.seq).toBe(8)
    expect(state.stale).toBe(false)
    expect(runningTurn(state)).toBeUndefined()
  })

  test("replaying any part of it changes nothing", () => {
    const once = play(story)
    for (let from = 0; from < story.length; from++) expect(play(story.slice(from), once)).toEqual(once)
  })

  test("cutting it anywhere and replaying from an earlier cursor gives the same state", () => {
    const once = play(story)
    for (let cut = 0; cut <= story.length; cut++) {
      const overlap = Math.max(0, cut - 3)
      expect(play(story.slice(overlap), play(story.slice(0, cut))), `cut at ${cut}`).toEqual(once)
    }
  })

  test("a missing event marks the state stale and the snapshot mends it", () => {
    const holed = play(story.filter((event) => event.seq !== 6))
    expect(holed.stale).toBe(true)
    const mended = reduceFeed(holed, {
      type: "snapshot",
      snapshot: { messages: holed.messages, queued: [], todos: [], tasks: [], seq: 8, hasMore: false },
    })
    expect(mended.stale).toBe(false)
    expect(mended.messages).toEqual(holed.messages)
  })

  test("a dropped message leaves the queue and keeps its text", () => {
    const state = play([...story.slice(0, 1), { seq: 2, kind: "dropped", data: { inbox_id: 1, outcome: "stopped", text: "Stopped." } }])
    expect(state.queued).toEqual([])
    expect(state.dropped[0]).toMatchObject({ text: "Stopped.", message: { text: "hi" } })
  })

  test("a message that is changed keeps its place, and one that was replaced is told once when its row comes", () => {
    const queued = (inbox_id: number, text: string) => ({ kind: "queued" as const, data: { inbox_id, text } })
    const state = play([{ seq: 1, ...queued(1, "one") }, { seq: 2, ...queued(2, "two") }, { seq: 3, ...queued(1, "changed") }])
    expect(state.queued.map(({ text }) => text)).toEqual(["changed", "two"])
    const replaced = play([{ seq: 4, kind: "dropped", data: { inbox_id: 1, outcome: "superseded", text: "A newer one took its place." } }], state)
    expect([replaced.dropped.length, replaced.queued.length]).toEqual([1, 1])
    const told = play([{ seq: 5, kind: "message", data: user(9, { inbox_id: 1, origin: "superseded" }) }], replaced)
    expect(told.dropped).toEqual([])
    expect(reduceFeed(replaced, { type: "forget", inbox: 1 }).dropped).toEqual([])
  })

  test("a turn that ended never runs again, whatever an older copy says", () => {
    const state = reduceFeed(play(story), { type: "turns", turns: [turn("running")] })
    expect(state.turns.t1?.turn?.state).toBe("done")
  })

  test("a turn that was released never was, and its message waits again", () => {
    const state = play([
      ...story.slice(0, 3),
      { seq: 4, kind: "turn", data: { ...turn("running"), state: "released" } },
      { seq: 5, kind: "queued", data: { inbox_id: 1, client_message_id: "c1", text: "hi" } },
    ])
    expect(state.messages).toEqual([])
    expect(state.turns).toEqual({})
    expect(state.queued).toHaveLength(1)
    expect(runningTurn(state)).toBeUndefined()
  })

  test("a rewind takes messages out with their turn, keeps what came after, and can be repeated", () => {
    const command = user(4, { turn_id: undefined, origin: "command", content: "!ls" })
    const rewinding = user(9, { turn_id: "t9", origin: "command", content: "/rewind m2" })
    const told: FeedEvent[] = [
      ...story,
      { seq: 9, kind: "message", data: command },
      { seq: 10, kind: "message", data: rewinding },
      { seq: 11, kind: "rewind", data: { from: 1, upto: 8 } },
    ]
    const state = play(told)
    expect(state.messages.map(({ id }) => id)).toEqual([9])
    expect(state.turns).toEqual({})
    expect(play(told, state)).toBe(state)
    expect(play([{ seq: 11, kind: "rewind", data: { from: 3, upto: 3 } }], play(told.slice(0, 10))).turns.t1?.turn?.state).toBe("done")
  })

  test("where messages were brought back in place of others all from there on goes and is read anew", () => {
    const before = play(story)
    const state = play([{ seq: before.seq + 1, kind: "rewind", data: { from: 1, upto: 8, again: true } }], before)
    expect(state.messages).toEqual([])
    expect(state.stale).toBe(true)
  })

  test("events of unknown kinds move the cursor and nothing else", () => {
    const state = play([{ seq: 1, kind: "ask", data: {} } as unknown as FeedEvent])
    expect(state).toEqual({ ...loaded, seq: 1 })
  })
})

describe("snapshots", () => {
  const page = (ids: number[], seq: number, hasMore = false) => ({
    messages: ids.map((id) => answer(id, id)), queued: [], todos: [], tasks: [], seq, hasMore,
  })

  test("older pages go before what is known", () => {
    let state = reduceFeed(emptyFeed, { type: "snapshot", snapshot: page([5, 6], 9, true) })
    state = reduceFeed(state, { type: "older", snapshot: page([3, 4], 9) })
    expect(state.messages.map((m) => m.id)).toEqual([3, 4, 5, 6])
    expect(state.hasMore).toBe(false)
    expect(state.seq).toBe(9)
  })

  test("a snapshot that overlaps keeps the older pages, one that does not replaces them", () => {
    const state = reduceFeed(emptyFeed, { type: "snapshot", snapshot: page([5, 6], 9) })
    const overlapping = reduceFeed(state, { type: "snapshot", snapshot: page([6, 7], 11, true) })
    expect(overlapping.messages.map((m) => m.id)).toEqual([5, 6, 7])
    expect(overlapping.hasMore).toBe(false)
    const gone = reduceFeed(state, { type: "snapshot", snapshot: page([5], 12) })
    expect(gone.messages.map((m) => m.id)).toEqual([5])
    const apart = reduceFeed(state, { type: "snapshot", snapshot: page([8, 9], 11, true) })
    expect(apart.messages.map((m) => m.id)).toEqual([8, 9])
    expect(apart.hasMore).toBe(true)
  })

  test("a server that has not kept what came since has everything read anew", () => {
    expect(play([...story, hello(90)]).stale).toBe(false)
    expect(play([...story, { kind: "hello", data: { seq: 90, session, gap: true } }]).stale).toBe(true)
  })

  test("a server that was set back is believed", () => {
    const ahead = play([...story, hello(2)])
    expect(ahead.stale).toBe(true)
    const state = reduceFeed(ahead, { type: "snapshot", snapshot: page([1], 2) })
    expect(state.seq).toBe(2)
    expect(state.messages.map((m) => m.id)).toEqual([1])
    expect(state.turns).toEqual({})
  })
})

describe("live text", () => {
  const running = play(story.slice(0, 3))
  const live = (state: FeedState) => state.turns.t1?.live

  test("deltas make a text until the message of their step replaces them", () => {
    const writing = play([delta({ text: "wh" }), delta({ offset: 2, text: "ole" })], running)
    expect(live(writing)?.text.text).toBe("whole")
    const settled = play([{ seq: 4, kind: "message", data: answer(2, 0) }], writing)
    expect(live(settled)).toBeUndefined()
    expect(live(play([delta({ offset: 5, text: "!" })], settled))).toBeUndefined()
  })

  test("a larger attempt replaces the text, a smaller one is ignored", () => {
    const state = play([delta({ text: "old" }), delta({ attempt: 2, text: "new" }), delta({ offset: 3, text: "late" })], running)
    expect(live(state)).toMatchObject({ attempt: 2, restarted: true, text: { text: "new" } })
  })

  test("an attempt that a retry announced is not called a restart", () => {
    const failed = play(
      [
        delta({ text: "ha" }),
        { seq: 4, kind: "retry", data: { turn_id: "t1", step: 0, attempt: 2, max: 5, delay_ms: 1000, reason: "timeout", text: "Retrying 2/5." } },
      ],
      running,
    )
    expect(failed.turns.t1?.retry?.attempt).toBe(2)
    expect(live(failed)).toBeUndefined()
    const again = play([delta({ attempt: 2, text: "half" })], failed)
    expect(live(again)).toMatchObject({ restarted: false, text: { text: "half" } })
    expect(again.turns.t1?.retry).toBeUndefined()
  })

  test("a retry that arrives after its attempt has spoken does not void its text", () => {
    const spoken = play([delta({ attempt: 2, text: "half" })], running)
    const state = play(
      [{ seq: 4, kind: "retry", data: { turn_id: "t1", step: 0, attempt: 2, max: 5, delay_ms: 0, reason: "timeout", text: "" } }],
      spoken,
    )
    expect(live(state)).toMatchObject({ restarted: false, text: { text: "half" } })
    expect(state.turns.t1?.retry).toBeUndefined()
  })

  test("a step that comes late does not replace the next one", () => {
    const state = play([delta({ step: 1, text: "next" }), delta({ step: 0, text: "late" })], running)
    expect(live(state)).toMatchObject({ step: 1, text: { text: "next" } })
  })

  test("joining in the middle shows what comes and that the beginning is missing", () => {
    const state = play([hello(), delta({ offset: 300, text: "and so on" })], running)
    expect(live(state)?.text).toMatchObject({ text: "…and so on", gap: true })
  })

  test("a wait for the provider takes the place of the retries, and the attempt that ends it is no restart", () => {
    const waits = { since: "2026-03-02T10:00:00Z", until: "2026-03-03T10:00:00Z", reason: "network" }
    const waiting = play(
      [
        { seq: 4, kind: "retry", data: { turn_id: "t1", step: 0, attempt: 5, max: 5, delay_ms: 0, reason: "network", text: "Retrying 5/5." } },
        { seq: 5, kind: "turn", data: { ...turn("running"), waits } },
      ],
      running,
    )
    expect(waiting.turns.t1).toMatchObject({ turn: { waits }, live: undefined, retry: undefined })
    expect(live(play([delta({ attempt: 9, text: "back" })], waiting))).toMatchObject({ restarted: false })
  })

  test("the end of the turn takes live text, retry and output with it", () => {
    const state = play(
      [
        delta({ text: "half" }),
        { kind: "output", data: { turn_id: "t1", call_id: "t1.0.0", offset: 0, text: "x" } },
        { seq: 4, kind: "turn", data: turn("stopped") },
        delta({ offset: 4, text: "late" }),
      ],
      running,
    )
    expect(state.turns.t1).toMatchObject({ live: undefined, retry: undefined, outputs: {} })
  })
})

describe("tool calls", () => {
  test("states only move forward", () => {
    const state = play([...story.slice(0, 6), { seq: 7, kind: "tool", data: tool(0, "running") }])
    expect(state.turns.t1?.calls["t1.0.0"]?.state).toBe("done")
  })

  test("calls are told by their number, whether their message or their event came first", () => {
    const events = { "t1.0.10": tool(10, "running"), "t1.0.2": tool(2, "done") }
    const message = answer(2, 0, { tool_calls: [tool(0, "open"), tool(2, "open")] })
    expect(callsOfStep(message, 0, events).map((c) => [c.id, c.state])).toEqual([
      ["t1.0.0", "open"],
      ["t1.0.2", "done"],
      ["t1.0.10", "running"],
    ])
    expect(callsOfStep(undefined, 1, events)).toEqual([])
  })

  test("output grows while a command runs and goes when its result is there", () => {
    const running = play([...story.slice(0, 5), output(0, "1\n"), output(0, "1\n"), output(2, "2\n")])
    expect(running.turns.t1?.outputs["t1.0.0"]?.text).toBe("1\n2\n")
    const done = play([...story.slice(5, 6), output(4, "3\n")], running)
    expect(done.turns.t1?.outputs).toEqual({})
  })
})

describe("permission", () => {
  const asked = { state: "open", asked_at: now } as const
  const allowed = { state: "allowed", asked_at: now, answered_at: now, answered_by: "ada" } as const

  test("a call waits for a person until the answer is told", () => {
    const waiting = play([...story.slice(0, 4), { seq: 5, kind: "tool", data: tool(0, "open", { approval: asked }) }])
    expect(waiting.turns.t1?.calls["t1.0.0"]).toSatisfy(isAsking)
    const settled = play([{ seq: 6, kind: "tool", data: tool(0, "open", { approval: allowed }) }], waiting)
    expect(settled.turns.t1?.calls["t1.0.0"]).not.toSatisfy(isAsking)
  })

  test("an answered question is not opened again by an older copy of its call", () => {
    const message = answer(2, 0, { tool_calls: [tool(0, "open", { approval: allowed })] })
    const [call] = callsOfStep(message, 0, { "t1.0.0": tool(0, "open", { approval: asked }) })
    expect(call?.approval?.state).toBe("allowed")
  })
})

describe("background tasks", () => {
  const base = play(story.slice(0, 5))

  test("what a command printed goes on as its task's, whichever event came first", () => {
    const moved: FeedEvent = { seq: 6, kind: "tool", data: tool(0, "done", { task: "bg0" }) }
    const begun: FeedEvent = { seq: 7, kind: "task", data: task(0, "running") }
    const printing = play([output(0, "1\n")], base)
    for (const [first, second] of [[moved, begun], [begun, moved]] as const) {
      const state = play([{ ...first, seq: 6 }, { ...second, seq: 7 }, output(2, "2\n")], printing)
      expect(state.taskOutputs["t1.0.0"]?.text).toBe("1\n2\n")
    }
  })

  test("output goes on after the turn has ended, and goes when the task ends", () => {
    const running = play([...story.slice(5), { seq: 9, kind: "task", data: task(0, "running") }, output(0, "1\n")], base)
    expect(running.turns.t1?.turn?.state).toBe("done")
    expect(running.taskOutputs["t1.0.0"]?.text).toBe("1\n")
    const ended = play([{ seq: 10, kind: "task", data: task(0, "exited") }, output(2, "late\n")], running)
    expect(ended.taskOutputs).toEqual({})
    expect(ended.tasks.map((entry) => entry.state)).toEqual(["exited"])
  })

  test("a task that ended does not run again, and the newest comes first", () => {
    const later = "2026-01-01T00:00:01Z"
    const state = play([{ seq: 6, kind: "task", data: task(1, "killed") }, { seq: 7, kind: "task", data: task(2, "running", { started_at: later }) }], base)
    const snapshot = { messages: state.messages, queued: [], todos: [], tasks: [task(1, "running")], seq: 7, hasMore: false }
    const told = reduceFeed(state, { type: "snapshot", snapshot })
    expect(told.tasks.map((entry) => [entry.id, entry.state])).toEqual([["bg2", "running"], ["bg1", "killed"]])
  })
})

describe("connections", () => {
  test("after a new connection a running turn counts as unheard until something comes", () => {
    const state = play([...story.slice(0, 3), hello(3)])
    expect(state.turns.t1?.heard).toBe(false)
    expect(runningTurn(state)).toBe("t1")
    expect(play([delta({ text: "x" })], state).turns.t1?.heard).toBe(true)
  })

  test("a turn that only the session names counts as running", () => {
    const state = play([{ kind: "hello", data: { seq: 0, session: { ...session, running: "t9" } } }])
    expect(runningTurn(state)).toBe("t9")
  })
})

test("what goes on among subagents is counted, also over a connection that may have missed it", () => {
  const before = play([hello()])
  const told = play([{ kind: "below", data: {} }, { kind: "below", data: {} }], before)
  expect(told.below).toBe(before.below + 2)
  expect(told.seq).toBe(before.seq)
  expect(play([hello()], told).below).toBe(told.below + 1)
})
