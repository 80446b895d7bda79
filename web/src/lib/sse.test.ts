import { expect, test } from "vitest"

import { EventParser, type ServerEvent } from "./sse"

const stream = 'id: 7\nevent: message\ndata: {"a":1}\n\n: ping\n\nevent: delta\ndata: one\ndata: two\n\n'
const events: ServerEvent[] = [
  { id: "7", event: "message", data: '{"a":1}' },
  { event: "delta", data: "one\ntwo" },
]

test("a stream gives the same events however it is cut", () => {
  for (let size = 1; size <= stream.length; size++) {
    const parser = new EventParser()
    const got: ServerEvent[] = []
    for (let at = 0; at < stream.length; at += size) got.push(...parser.push(stream.slice(at, at + size)))
    expect(got, `pieces of ${size}`).toEqual(events)
  }
})

test("carriage returns end lines, alone or before a line feed", () => {
  expect(new EventParser().push(stream.replaceAll("\n", "\r\n"))).toEqual(events)
  const parser = new EventParser()
  expect([...parser.push(stream.replaceAll("\n", "\r")), ...parser.push("\n")]).toEqual(events)
})

test("an event cut off by the end of the stream is not delivered", () => {
  expect(new EventParser().push("id: 1\nevent: message\ndata: half")).toEqual([])
})

test("an id belongs to its own event only", () => {
  expect(new EventParser().push("id: 3\ndata: a\n\ndata: b\n\n")).toEqual([
    { id: "3", event: "message", data: "a" },
    { event: "message", data: "b" },
  ])
})

test("only the one space after a colon is dropped", () => {
  expect(new EventParser().push("data:  x\n\ndata:y\n\n").map((f) => f.data)).toEqual([" x", "y"])
})
