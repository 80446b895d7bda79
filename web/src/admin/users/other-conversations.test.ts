import { expect, test } from "vitest"

import type { OtherSession } from "../../api/others"
import { nameOf, ofOthers } from "./other-conversations"

const session = (key: string, more: Partial<OtherSession>) => ({ key, title: "", chat_type: "direct", origin: {}, ...more }) as OtherSession

test("one's own conversations , those of subagents and those of consumers are not among those of others", () => {
  const shown = ofOthers(
    [
      session("own", { user: "ada" }),
      session("group", { user: "feishu:group:oc_1", chat_type: "group" }),
      session("below", { user: "bob", chat_type: "subagent" }),
      session("consumer", { user: "svc_0a1b2c3d/key_4e5f60/0123456789", channel: "svc" }),
      session("stranger", { user: "feishu:ou_9" }),
    ],
    "ada",
  )
  expect(shown.map(({ key }) => key)).toEqual(["group", "stranger"])
})

test("a conversation of others is called by its place before its title", () => {
  expect(nameOf(session("k", { title: "leaks", origin: { label: "Plumbers" } }))).toBe("Plumbers")
  expect(nameOf(session("k", { title: "leaks" }))).toBe("leaks")
  expect(nameOf(session("k", {}))).toBe("k")
})
