import { afterEach, expect, test, vi } from "vitest"

import { drawPage, widthFor } from "./pages"

vi.mock("../../../api/client", () => ({ signedOut: () => undefined })) // it asks for the address of the page, of which there is none here

afterEach(() => vi.unstubAllGlobals())

const never = new AbortController().signal

const answering = (answer: Response) => {
  const asked = vi.fn((address: string) => Promise.resolve(address && answer))
  vi.stubGlobal("fetch", asked)
  return asked
}

const problem = (status: number, detail: string, headers = {}) => new Response(JSON.stringify({ detail }), { status, headers })

test("a page is asked for by its path, its number and its width", async () => {
  const asked = answering(problem(400, "this page cannot be read", { "X-Pages": "3" }))
  await drawPage("agent:main", "out/a b.pdf", 2, 800, never)
  expect(asked.mock.calls[0]?.[0]).toBe("/api/sessions/agent%3Amain/files/page?path=out%2Fa+b.pdf&page=2&width=800")
})

test("a page that cannot be drawn leaves the others, a file that cannot be drawn none", async () => {
  answering(problem(400, "this page cannot be read", { "X-Pages": "3" }))
  expect(await drawPage("k", "a.pdf", 2, 800, never)).toMatchObject({ pages: 3, problem: { message: "this page cannot be read" } })
  answering(problem(400, "the PDF is broken, or none"))
  await expect(drawPage("k", "a.pdf", 1, 800, never)).rejects.toMatchObject({ status: 400, message: "the PDF is broken, or none" })
})

test("widths come in few steps, as wide as the server draws", () => {
  expect([[0, 1], [300, 1], [400, 1], [401, 2], [2000, 3]].map(([pixels = 0, dots = 1]) => widthFor(pixels, dots))).toEqual([200, 400, 400, 1000, 1568])
})
