import { expect, test, vi } from "vitest"

import { Problem } from "../../api/problem"
import { draftOf, keepDraft } from "../../outbox/drafts"
import { Uploads } from "./uploads"

const file = (name: string) => new File(["x"], name)
const ready = () => Promise.resolve()
let n = 0
const draft = () => `d${++n}`

test("files arrive one after another and are named in the draft", async () => {
  const place = draft()
  keepDraft(place, "look at")
  let flying = 0
  const uploads = new Uploads("s", place, async (_, { name }, __, onSent) => {
    expect(++flying).toBe(1)
    onSent(1)
    await Promise.resolve()
    flying--
    return { name, path: `uploads/${name}`, size: 1 }
  })
  uploads.add([file("a.txt"), file("b c.txt")], ready, "")
  await vi.waitFor(() => expect(uploads.entries.get()).toEqual([]))
  expect(draftOf(place).get()).toBe("look at [file: uploads/a.txt] [file: uploads/b c.txt] ")
})

test("what the server refuses stays with its sentence until it is dropped, and the next one goes on", async () => {
  const place = draft()
  const uploads = new Uploads("s", place, (_, { name }) =>
    name === "bad" ? Promise.reject(new Problem(413, "Too large.")) : Promise.resolve({ name, path: name, size: 1 }),
  )
  uploads.add([file("bad"), file("good")], ready, "")
  await vi.waitFor(() => expect(draftOf(place).get()).toBe("[file: good] "))
  const [failed] = uploads.entries.get()
  expect(failed).toMatchObject({ name: "bad", problem: "Too large." })
  uploads.drop(failed?.id ?? 0)
  expect(uploads.entries.get()).toEqual([])
})

test("a cancelled upload ends and names nothing", async () => {
  const place = draft()
  const ended = vi.fn()
  const uploads = new Uploads("s", place, (_, __, signal) =>
    new Promise((_, reject) =>
      signal.addEventListener("abort", () => {
        ended()
        reject(new Problem(-1, ""))
      }),
    ),
  )
  uploads.add([file("a")], ready, "")
  await vi.waitFor(() => expect(uploads.entries.get()).toHaveLength(1))
  await Promise.resolve()
  uploads.drop(uploads.entries.get()[0]?.id ?? 0)
  await vi.waitFor(() => expect(ended).toHaveBeenCalled())
  expect(uploads.entries.get()).toEqual([])
  expect(draftOf(place).get()).toBe("")
})

test("a file over the limit is not sent at all", () => {
  const send = vi.fn()
  const uploads = new Uploads("s", draft(), send)
  const large = file("large")
  Object.defineProperty(large, "size", { value: 100 * 1024 * 1024 + 1 })
  uploads.add([large], ready, "too large")
  expect(uploads.entries.get()).toMatchObject([{ problem: "too large" }])
  expect(send).not.toHaveBeenCalled()
})
