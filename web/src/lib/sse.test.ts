import { expect, test } from "vitest"

import { type Frame, FrameParser } from "./sse"

const stream = 'id: 7\nevent: message\ndata: {"a":1}\n\n: ping\n\nevent: delta\ndata: one\ndata: two\n\n'
const frames: Frame[] = [
  { id: "7", event: "message", data: '{"a":1}' },
  { event: "delta", data: "one\ntwo" },
]

test("a stream gives the same frames however it is cut", () => {
  for (let size = 1; size <= stream.length; size++) {
    const parser = new FrameParser()
    const got: Frame[] = []
    for (let at = 0; at < stream.length; at += size) got.push(...parser.push(stream.slice(at, at + size)))
    expect(got, `pieces of ${size}`).toEqual(frames)
  }
})

test("carriage returns end lines, alone or before a line feed", () => {
  expect(new FrameParser().push(stream.replaceAll("\n", "\r\n"))).toEqual(frames)
  const parser = new FrameParser()
  expect([...parser.push(stream.replaceAll("\n", "\r")), ...parser.push("\n")]).toEqual(frames)
})

test("a frame cut off by the end of the stream is not delivered", () => {
  expect(new FrameParser().push("id: 1\nevent: message\ndata: half")).toEqual([])
})

test("an id belongs to its own frame only", () => {
  expect(new FrameParser().push("id: 3\ndata: a\n\ndata: b\n\n")).toEqual([
    { id: "3", event: "message", data: "a" },
    { event: "message", data: "b" },
  ])
})

test("only the one space after a colon is dropped", () => {
  expect(new FrameParser().push("data:  x\n\ndata:y\n\n").map((f) => f.data)).toEqual([" x", "y"])
})
