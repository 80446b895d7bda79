import { expect, test } from "vitest"

import type { ServerEvent } from "../../lib/sse"
import { events } from "./sse"

const stream = (...pieces: (string | Uint8Array)[]) =>
  new ReadableStream<Uint8Array>({
    start(controller) {
      for (const piece of pieces) controller.enqueue(typeof piece === "string" ? new TextEncoder().encode(piece) : piece)
      controller.close()
    },
  })

const all = async (...pieces: (string | Uint8Array)[]) => {
  const found: ServerEvent[] = []
  for await (const event of events(stream(...pieces))) found.push(event)
  return found
}

test("events are the same however the connection cuts them", async () => {
  const text = ': ping\n\nid: 7\ndata: {"a":"小"}\n\ndata: one\ndata: two\r\n\r\ndata:three\r\r'
  const whole = [{ id: "7", event: "message", data: '{"a":"小"}' }, { event: "message", data: "one\ntwo" }, { event: "message", data: "three" }]
  const bytes = new TextEncoder().encode(text + "\n")
  expect(await all(bytes)).toEqual(whole)
  for (let at = 1; at < bytes.length; at++) expect(await all(bytes.slice(0, at), bytes.slice(at))).toEqual(whole)
})

test("what the connection cut off is no event", async () => {
  expect(await all("data: whole\n\ndata: hal")).toEqual([{ event: "message", data: "whole" }])
})

test("a server that is silent for long is given up", async () => {
  let cancelled = false
  const silent = new ReadableStream<Uint8Array>({ cancel: () => void (cancelled = true) })
  await expect(events(silent, 5).next()).rejects.toThrow("silent")
  expect(cancelled).toBe(true)
})
