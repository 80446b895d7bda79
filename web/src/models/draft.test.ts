import { expect, test } from "vitest"

import type { SubscribedModel, Subscription } from "../api/models"
import { bodyOf, draftOf, emptyDraft, freeName, modelOf, reconnects, withService } from "./draft"
import { hostOf, serviceOf, services, servicesFor } from "./services"

const plain: SubscribedModel = { id: "a/plain" }

const stored: Subscription = {
  id: 7,
  shared: true,
  name: "router",
  provider: "openai",
  api_type: "chat_completions",
  base_url: "https://openrouter.ai/api/v1",
  key_hint: "…abcd",
  models: [
    plain,
    { id: "a/told", alias: ["quick", "small"], disabled: true, max_context: 1000, max_output: 100, vision: false, think: "low", price: { input: 1, cached: 0.1, output: 2 } },
  ],
  enabled: true,
  revision: 3,
  changed_at: "2026-01-01T00:00:00Z",
}

test("a service fills in the name, the provider and the address", () => {
  expect(emptyDraft(services.openrouter, [])).toMatchObject({ name: "openrouter", provider: "openai", base_url: "https://openrouter.ai/api/v1", key: "", models: [] })
  expect(emptyDraft(services.anthropic, [])).toMatchObject({ name: "anthropic", provider: "anthropic", base_url: "" })
})

test("a name that is taken gets a number", () => {
  expect(freeName("openai", [])).toBe("openai")
  expect(freeName("openai", ["openai", "openai-2"])).toBe("openai-3")
})

test("another service takes no key and no models along, and leaves a name that somebody made up", () => {
  const openai = { ...emptyDraft(services.openai, []), key: "sk-secret", models: draftOf(stored).models }
  expect(withService(openai, services.openai, services.deepseek, [])).toEqual(emptyDraft(services.deepseek, []))
  expect(withService({ ...openai, name: "work" }, services.openai, services.deepseek, [])).toMatchObject({ name: "work", key: "", models: [] })
})

test("what runs beside the server is offered for the installation alone", () => {
  expect(servicesFor(true).map(({ id }) => id)).toContain("ollama")
  expect(servicesFor(false).map(({ id }) => id)).not.toContain("ollama")
})

test("a stored subscription is known by its address", () => {
  expect(serviceOf(stored).id).toBe("openrouter")
  expect(serviceOf({ provider: "anthropic", base_url: "" }).id).toBe("anthropic")
  expect(serviceOf({ provider: "openai", base_url: "https://models.example.com/v1" }).id).toBe("other")
})

test("an address is told by its host", () => {
  expect(hostOf("http://127.0.0.1:11434/v1")).toBe("127.0.0.1:11434")
  expect(hostOf("not an address")).toBe("not an address")
})

test("what nobody changed goes back to the server as it was", () => {
  expect(bodyOf(draftOf(stored), true, stored.revision)).toEqual({
    shared: true,
    name: "router",
    provider: "openai",
    api_type: "chat_completions",
    base_url: "https://openrouter.ai/api/v1",
    key: "",
    forget: false,
    models: [
      { id: "a/plain", alias: [], disabled: false, max_context: 0, max_output: 0, vision: undefined, think: "", price: undefined },
      { id: "a/told", alias: ["quick", "small"], disabled: true, max_context: 1000, max_output: 100, vision: false, think: "low", price: { input: 1, cached: 0.1, output: 2 } },
    ],
    disabled: false,
    revision: 3,
  })
})

test("a key that is to be removed is not sent, and blanks around one are not meant", () => {
  const draft = draftOf(stored)
  expect(bodyOf({ ...draft, key: " sk-new\n" }, true, 3)).toMatchObject({ key: "sk-new", forget: false })
  expect(bodyOf({ ...draft, key: "sk-new", forget: true }, true, 3)).toMatchObject({ key: "", forget: true })
})

test("Anthropic has no Responses API", () => {
  expect(bodyOf({ ...draftOf(stored), provider: "anthropic", api_type: "responses" }, true, 3).api_type).toBe("chat_completions")
})

test("other names are typed as people write lists", () => {
  const draft = draftOf(stored)
  const told = (names: string) => bodyOf({ ...draft, models: [{ ...modelOf(plain), names }] }, true, 3).models?.[0]?.alias
  expect(told("fast, small")).toEqual(["fast", "small"])
  expect(told(" 快，小、 tiny ,")).toEqual(["快", "小", "tiny"])
})

test("a price that is filled in by half is whole, and none is none", () => {
  const draft = draftOf(stored)
  const told = (price: object) => bodyOf({ ...draft, models: [{ ...modelOf(plain), price }] }, true, 3).models?.[0]?.price
  expect(told({ input: 2 })).toEqual({ input: 2, cached: 2, output: 0 })
  expect(told({ input: 2, cached: 0, output: 4 })).toEqual({ input: 2, cached: 0, output: 4 })
  expect(told({ input: undefined })).toBeUndefined()
})

test("a test says nothing any more once the connection is another one", () => {
  for (const change of [{ key: "k" }, { forget: true }, { base_url: "https://h/v1" }, { provider: "anthropic" as const }]) expect(reconnects(change)).toBe(true)
  for (const change of [{ name: "n" }, { models: [] }, { disabled: true }]) expect(reconnects(change)).toBe(false)
})
