import { expect, test } from "vitest"

import { chose, complete, draftOf, given, wrote } from "./question-draft"

const options = [{ label: "red" }, { label: "green" }]
const one = { name: "q1", text: "Which?", options, other: true }
const many = { name: "q2", text: "Which ones?", options, multi: true, other: true }

test("of one answer the last that was entered counts", () => {
  const words = wrote(one, chose(one, draftOf(), "red"), "blue")
  expect(given([one], [words])).toEqual({ q1: ["blue"] })
  expect(given([one], [chose(one, words, "green")])).toEqual({ q1: ["green"] })
  expect(given([one], [wrote(one, chose(one, draftOf(), "red"), " ")])).toEqual({ q1: ["red"] })
})

test("several answers stand together, in the order of the options", () => {
  const both = wrote(many, chose(many, chose(many, draftOf(), "green"), "red"), " and blue ")
  expect(given([many], [both])).toEqual({ q2: ["red", "green", "and blue"] })
  expect(given([many], [chose(many, both, "red")])).toEqual({ q2: ["green", "and blue"] })
})

test("a question is complete with an answer, and blanks are none", () => {
  expect(complete(one, draftOf())).toBe(false)
  expect(complete(one, wrote(one, draftOf(), "  "))).toBe(false)
  expect(complete(one, undefined)).toBe(false)
  expect(complete({ ...one, optional: true }, undefined)).toBe(true)
  expect(complete({ ...one, default: "Go" }, draftOf())).toBe(true)
  expect(complete(many, chose(many, draftOf(), "red"))).toBe(true)
})
