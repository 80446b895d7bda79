import { afterEach, expect, test, vi } from "vitest"

import type { Message } from "../api/types"
import { Conversation } from "./conversation"
import { keepPending } from "./outbox"

afterEach(() => vi.unstubAllGlobals())

/** A server of one conversation, which tells its newest 500 messages, keeps texts without NUL, and takes a message once, as ours. */
function serves(messages: Message[], taken: string[] = [], asked?: () => void): void {
  const stream = () => new Response('data: {"type":"accepted","message_id":"u"}\n\ndata: {"type":"done"}\n\n')
  vi.stubGlobal("document", { visibilityState: "hidden", documentElement: { lang: "en" } })
  vi.stubGlobal("fetch", (path: string, { body, headers }: { body?: string; headers: Record<string, string> }) => {
    if (!path.endsWith("/chat")) return Promise.resolve(Response.json({ id: "c1", title: "", running: false, seq: 1, messages: messages.slice(-500) }))
    asked?.()
    const key = headers["Idempotency-Key"] ?? ""
    const { message } = JSON.parse(body ?? "") as { message: string }
    if (!taken.includes(key)) messages.push({ id: `u${messages.length}`, role: "user", content: message.replaceAll("\0", "") }, { id: `a${messages.length}`, role: "assistant", content: "Yes." })
    taken.push(key)
    return Promise.resolve(stream())
  })
}

const many = (count: number): Message[] => Array.from({ length: count }, (_, n) => ({ id: `m${n}`, role: n % 2 ? "assistant" : "user", content: `Message ${n}` }))

/** Resolves when nothing goes on any more. */
const rests = (conversation: Conversation) => vi.waitFor(() => expect(conversation.state.get().doing).toBe("idle"))

test.each([
  ["in a conversation that has more messages than are read at once", many(500), "Again?"],
  ["whose text the server keeps otherwise", many(2), "A\0gain?"],
])("a message %s is shown once, and another one can be sent", async (_, messages, text) => {
  serves(messages)
  const conversation = new Conversation("c1", () => undefined)
  await rests(conversation)
  for (let sent = 1; sent <= 2; sent++) {
    expect(conversation.send(text, [])).toBe(true)
    await rests(conversation)
    const { pending, messages: read } = conversation.state.get()
    expect(pending).toBeUndefined()
    expect(read.filter(({ role, content }) => role === "user" && content === "Again?")).toHaveLength(sent)
  }
  conversation.leave()
})

test("what a page that went away has sent is not shown beside itself while it is sent again, however many messages there are", async () => {
  keepPending("c1", { key: "k", text: "Sent before?", attachments: [], after: "m499" })
  const shown: unknown[] = []
  serves([...many(500), { id: "u500", role: "user", content: "Sent before?" }], ["k"], () => shown.push(conversation.state.get().pending))
  const conversation = new Conversation("c1", () => undefined)
  await rests(conversation)
  expect(shown).toEqual([undefined])
  expect(conversation.state.get().messages.at(-1)?.content).toBe("Sent before?")
  conversation.leave()
})
