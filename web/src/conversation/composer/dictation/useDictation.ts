import { useQueryClient } from "@tanstack/react-query"
import { useEffect, useRef, useState } from "react"

import { asProblem } from "../../../api/problem"
import { transcribe } from "../../../api/transcription"
import { keysQuery } from "../../../models/queries"
import { insert } from "./insert"
import type { Recording } from "./recorder"

/** Why nothing was written. */
type Why = "noKey" | "blocked" | "noMicrophone" | "nothing" | "failed"

export type Dictation =
  | { at: "rest" | "asking" | "writing" }
  | { at: "recording"; since: number }
  /** `kept` is what was said, where asking for its text again may help. */
  | { at: "failed"; why: Why; reason: string; kept?: Blob }

const rest: Dictation = { at: "rest" }

/** Milliseconds for which the page believes what it knows of keys. */
const KEYS_FRESH = 60_000

/** What is said into the microphone, until it stands in the message. */
export function useDictation() {
  const client = useQueryClient()
  const [state, show] = useState(rest)
  const recording = useRef<Recording>(undefined)
  const wanted = useRef(new AbortController())
  const drop = () => {
    wanted.current.abort()
    recording.current?.drop()
    recording.current = undefined
    show(rest)
  }
  useEffect(
    () => () => {
      wanted.current.abort()
      recording.current?.drop()
    },
    [],
  )
  const write = async (said: Blob, { signal }: AbortController) => {
    recording.current = undefined
    show({ at: "writing" })
    try {
      const text = said.size === 0 ? "" : await transcribe(said, signal)
      if (signal.aborted) return
      show(text === "" ? { at: "failed", why: "nothing", reason: "" } : rest)
      if (text !== "") insert(text)
    } catch (error) {
      if (!signal.aborted) show({ at: "failed", why: "failed", reason: asProblem(error).message, kept: said })
    }
  }
  const begin = async () => {
    const mine = new AbortController()
    wanted.current = mine
    show({ at: "asking" })
    try {
      const { services } = await client.query({ ...keysQuery, staleTime: KEYS_FRESH })
      if (!services.some(({ service, source }) => service === "transcription" && source)) {
        show({ at: "failed", why: "noKey", reason: "" })
        return
      }
      const { record } = await import("./recorder")
      const made = await record((said) => void write(said, mine))
      if (mine.signal.aborted) {
        made.drop()
        return
      }
      recording.current = made
      show({ at: "recording", since: Date.now() })
    } catch (error) {
      if (!mine.signal.aborted) show(unheard(error))
    }
  }
  const again = (said: Blob) => {
    wanted.current = new AbortController()
    void write(said, wanted.current)
  }
  const press = () => {
    if (state.at === "recording") recording.current?.stop()
    else if (state.at === "rest" || state.at === "failed") void begin()
  }
  return { state, press, drop, again }
}

/** Why the microphone was not heard. */
function unheard(error: unknown): Dictation {
  const name = error instanceof DOMException ? error.name : ""
  const why = name === "NotAllowedError" || name === "SecurityError" ? "blocked" : name === "NotFoundError" ? "noMicrophone" : "failed"
  return { at: "failed", why, reason: asProblem(error).message }
}
