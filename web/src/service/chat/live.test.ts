import { expect, test } from "vitest"

import type { ChatEvent, Message } from "../api/types"
import { type Live, nothing, reduce, type Turn, turnsOf, withoutOpen, withResult, withSaid } from "./live"

const after = (...events: ChatEvent[]): Live => events.reduce(reduce, nothing)
const token = (content: string): ChatEvent => ({ type: "token", content })
const call = (id: string): ChatEvent => ({ type: "tool_call", id, name: "web_search", args: "{}" })
const chunk = (id: string, args_delta: string): ChatEvent => ({ type: "tool_call_chunk", id, name: "web_search", args_delta })
const result = (id: string): ChatEvent => ({ type: "tool_result", id, name: "web_search", content: "found", ok: true })

test("a whole text takes the place of its pieces, and the next piece begins another step", () => {
  const live = after(token("Hal"), token("f"), { type: "message", content: "Half." }, token("More"))
  expect(live.steps.map(({ text, closed }) => [text, closed])).toEqual([["Half.", true], ["More", false]])
})

test("a restart and a break void what was not whole, and nothing else", () => {
  const events = [token("One"), { type: "message", content: "One." }, token("Tw")] as ChatEvent[]
  expect(after(...events, { type: "restart" }).steps.map(({ text }) => text)).toEqual(["One."])
  expect(withoutOpen(after(...events)).steps.map(({ text }) => text)).toEqual(["One."])
})

test("a call keeps its place, its arguments grow, and its result finds it", () => {
  const live = after({ type: "message", content: "I search.", reasoning: "Hm." }, call("a"), call("b"), result("a"), token("Done"))
  expect(live.steps.map(({ thinking, text }) => [thinking, text])).toEqual([["Hm.", "I search."], ["", ""], ["", "Done"]])
  expect(live.steps[1]?.calls).toEqual([
    { id: "a", name: "web_search", args: "{}", result: "found", ok: true },
    { id: "b", name: "web_search", args: "{}" },
  ])
})

test("the arguments of calls grow side by side, and what the call says takes their place", () => {
  const pieces = [token("I search."), chunk("a", '{"q":'), chunk("b", "{"), chunk("a", "1}")]
  expect(after(...pieces).steps).toMatchObject([{ text: "I search.", closed: false, calls: [{ id: "a", args: '{"q":1}', writing: true }, { id: "b", args: "{" }] }])
  const live = after(...pieces, { type: "message", content: "I search." }, call("a"), result("b"), token("Done"))
  expect(live.steps.map(({ text, closed }) => [text, closed])).toEqual([["I search.", true], ["Done", false]])
  expect(live.steps[0]?.calls).toEqual([
    { id: "a", name: "web_search", args: "{}" },
    { id: "b", name: "web_search", args: "{", result: "found", ok: true },
  ])
})

test("calls that are only written are void with the text before them, and those of the next answer stand behind it", () => {
  const told = [{ type: "message", content: "One." }, call("a"), result("a"), token("Tw"), chunk("b", "{")] as ChatEvent[]
  for (const live of [after(...told, { type: "restart" }), withoutOpen(after(...told))]) {
    expect(live.steps.map(({ text, calls }) => [text, calls.map(({ id }) => id)])).toEqual([["One.", []], ["", ["a"]]])
  }
  const next = after({ type: "message", content: "" }, call("a"), chunk("b", "{"), chunk("b", "}"))
  expect(next.steps.map(({ calls }) => calls.map(({ id, args }) => [id, args]))).toEqual([[], [["a", "{}"]], [["b", "{}"]]])
})

test("calls that are told behind their answer stand behind it, and a restart of the next one leaves them", () => {
  const live = after(token("Let me see."), { type: "message", content: "Let me see." }, call("a"), result("a"), { type: "restart" }, token("It i"), { type: "restart" }, token("It is"))
  expect(live.steps.map(({ text, calls }) => [text, calls.length])).toEqual([["Let me see.", 0], ["", 1], ["It is", 0]])
})

test("a result whose call came before the stream is shown all the same", () => {
  expect(after(result("a")).steps[0]?.calls).toEqual([{ id: "a", name: "web_search", args: "", result: "found", ok: true }])
  const messages: Message[] = [{ id: "2", role: "assistant", content: "", tool_calls: [{ id: "a", name: "web_search", args: "{}" }] }]
  expect(withResult(messages, result("a"))?.[0]?.tool_calls?.[0]).toEqual({ id: "a", name: "web_search", args: "{}", result: "found", ok: true })
  expect(withResult(messages, result("b"))).toBeUndefined()
})

test("why nothing goes on is told until something does", () => {
  const live = after({ type: "waiting", content: "The provider is busy." })
  expect(live.waiting).toBe("The provider is busy.")
  expect(reduce(live, token("Now")).waiting).toBeUndefined()
})

test("a turn that is at its end has its answer at the end", () => {
  const messages: Message[] = [
    { id: "1", role: "user", content: "Hi" },
    { id: "2", role: "assistant", content: "Found.", reasoning: "I search.", tool_calls: [{ id: "a", name: "x", args: "{}", result: "r" }] },
  ]
  expect(turnsOf(messages)[0]?.steps.map(({ thinking, text, calls }) => [thinking, text, calls.length])).toEqual([["I search.", "", 1], ["", "Found.", 0]])
  expect(turnsOf(messages, true)[0]?.steps).toHaveLength(1)
})

test("answers of several steps are one turn", () => {
  const turns = turnsOf([
    { id: "1", role: "user", content: "Hi" },
    { id: "2", role: "assistant", content: "", tool_calls: [{ id: "a", name: "x", args: "{}" }] },
    { id: "3", role: "assistant", content: "Hello", stopped: true },
    { id: "4", role: "user", content: "Again" },
  ])
  expect(turns.map(({ asked, steps, stopped }) => [asked?.content, steps.length, stopped])).toEqual([["Hi", 2, true], ["Again", 0, undefined]])
})

test("what a person says beside the answers is there once, and as theirs", () => {
  const said = { type: "said", message_id: "a3", content: "I am Ada.", by: "person" } as const
  const messages = withSaid(withSaid([{ id: "u1", role: "user", content: "Hi" }], said), said)
  expect(messages.map(({ id, by }) => [id, by])).toEqual([["u1", undefined], ["a3", "person"]])
  expect(turnsOf(messages)[0]?.steps.map(({ text, person }) => [text, person])).toEqual([["I am Ada.", true]])
})

test("what tasks have the agent say are turns of their own, also while one has said nothing yet", () => {
  const messages: Message[] = [
    { id: "u1", role: "user", content: "Hi" },
    { id: "a1", role: "assistant", content: "Hello", turn_id: "t1" },
    { id: "a2", role: "assistant", content: "", turn_id: "t2", origin: "task", tool_calls: [{ id: "c", name: "x", args: "{}" }] },
    { id: "a3", role: "assistant", content: "I am Ada.", by: "person" },
    { id: "a4", role: "assistant", content: "Closed on Monday.", turn_id: "t2", origin: "task" },
    { id: "a5", role: "assistant", content: "Open again.", turn_id: "t3", origin: "task" },
  ]
  const shown = (turns: Turn[]) => turns.map(({ id, task, steps }) => [id, task, steps.map(({ text }) => text)])
  const read = [["u1", undefined, ["Hello"]], ["t2", true, ["", "I am Ada.", "Closed on Monday."]], ["t3", true, ["Open again."]]]
  expect(shown(turnsOf(messages))).toEqual(read)
  expect(shown(turnsOf(messages, true, "t4"))).toEqual([...read, ["t4", true, []]])
  expect(shown(turnsOf(messages, true, "t3"))).toEqual(read)
})
