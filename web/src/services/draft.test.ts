import { expect, test } from "vitest"

import type { Service } from "../api/services"
import { bodyOf, filledFrom, lines, nothing, wrongNumber } from "./draft"

const service = {
  id: "svc_0a1b2c3d", name: "Help desk", description: "", model: "openai/gpt-5", system_prompt_version_id: 3, user_profile_version_id: 0, allowed_docs: ["faq/*.md", "guide.md"], allowed_scripts: [],
  capabilities: ["web"], welcome_message: "Hello", quick_questions: ["Where?"], origins: [], max_conversations: 7, limits: { requests_per_minute: 1, concurrent: 2, tokens_per_day: 3, pictures_per_day: 4, speech_characters_per_day: 5, video_seconds_per_day: 6 }, published: false, revision: 4,
} as unknown as Service

test("a service that is filled in and saved as it is stays as it is", () => {
  const body = bodyOf(filledFrom(service), service.revision)
  for (const [name, value] of Object.entries(body)) expect(value, name).toEqual(service[name as keyof Service])
})

test("a list is one entry a line, without empty ones", () => {
  expect(lines(" a \n\n b\n")).toEqual(["a", "b"])
  expect(bodyOf({ ...nothing, docs: " \n" }, 0).allowed_docs).toEqual([])
})

test("what is no number that can be is named", () => {
  expect(wrongNumber(nothing)).toEqual(undefined)
  expect(wrongNumber({ ...nothing, conversations: "0" })).toEqual("conversations")
  expect(wrongNumber({ ...nothing, perMinute: "1.5" })).toEqual("perMinute")
  expect(wrongNumber({ ...nothing, concurrent: "" })).toEqual("concurrent")
  expect(wrongNumber({ ...nothing, perDay: "-1" })).toEqual("perDay")
})
