import { describe, expect, it } from "vitest"

import type { ToolCall } from "../../api/types"
import { sourcesOf } from "./sources"

const call = (name: string, urls: string[], more: Partial<ToolCall> = {}): ToolCall => ({ id: name, name, arguments: "{}", class: "read", state: "done", sources: urls.map((url) => ({ url, title: url })), ...more })
const urls = (calls: ToolCall[], answer: string) => sourcesOf(calls, answer).map(({ url }) => url)

describe("the sources of an answer", () => {
  const found = call("WebSearch", ["https://a.example/", "https://b.example/", "https://c.example/"])

  it("are the pages that were read and those that it names, each once", () => {
    expect(urls([found, call("Fetch", ["https://b.example/"]), call("Fetch", ["https://b.example/"])], "see https://c.example/")).toEqual(["https://b.example/", "https://c.example/"])
  })

  it("are all that was found where it names none", () => {
    expect(urls([found], "so it is")).toEqual(["https://a.example/", "https://b.example/", "https://c.example/"])
  })

  it("are named by their whole address", () => {
    const site = call("WebSearch", ["https://a.example", "https://a.example/other", "https://b.example"])
    expect(urls([site], "see [it](https://a.example/other).")).toEqual(["https://a.example/other"])
    expect(urls([site], "see https://a.example, and https://b.example.")).toEqual(["https://a.example", "https://b.example"])
  })

  it("are none that a browser cannot open", () => {
    expect(urls([call("WebSearch", ["http://a:99999/", "http://1.2.3.4.5/", "https://a.example/"])], "")).toEqual(["https://a.example/"])
  })

  it("are none of calls that failed, and link nowhere but to the web", () => {
    expect(urls([call("Fetch", ["https://a.example/"], { is_error: true }), call("Fetch", ["javascript:alert(1)"])], "")).toEqual([])
  })
})
