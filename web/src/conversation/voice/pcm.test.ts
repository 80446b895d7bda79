import { expect, test } from "vitest"

import { decode, encode, heardMs } from "./pcm"

test("samples survive the way to the service and back", () => {
  const samples = new Int16Array(10_000).map((_, at) => (at * 37) % 32768)
  const back = decode(encode(samples.buffer))
  expect(back.length).toBe(10_000)
  expect(Math.round((back[777] ?? 0) * 32768)).toBe(samples[777])
})

test("only what was played of an item counts as heard", () => {
  const pieces = [
    { item: "a", start: 1, duration: 0.5 },
    { item: "a", start: 1.5, duration: 0.5 },
    { item: "b", start: 2, duration: 1 },
  ]
  expect(heardMs(pieces, "a", 0.5)).toBe(0)
  expect(heardMs(pieces, "a", 1.75)).toBe(750)
  expect(heardMs(pieces, "a", 9)).toBe(1000)
  expect(heardMs(pieces, "b", 2.25)).toBe(250)
})
