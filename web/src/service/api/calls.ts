import { access, currentKey, forgetKey } from "../lib/key"
import { Problem, problemOf } from "./problem"
import type { Attachment, Conversation } from "./types"

/** Milliseconds within which the server begins to answer. */
const PATIENCE = 30_000
/** The same for a file, whose bytes have to arrive first. */
const PATIENCE_OF_FILES = 10 * 60_000

interface Options {
  body?: BodyInit
  headers?: Record<string, string>
  signal?: AbortSignal
  patience?: number
  /** One that is tried, in place of the visitor's. */
  key?: string
}

/** Asks the server with the key; throws a Problem. No cookie goes along: this page is nobody's of the house. */
async function ask(method: string, path: string, { body, headers, signal, patience = PATIENCE, key }: Options = {}): Promise<Response> {
  const ends = new AbortController()
  signal?.throwIfAborted()
  signal?.addEventListener("abort", () => ends.abort(signal.reason))
  const timer = setTimeout(() => ends.abort(), patience)
  const json = typeof body === "string" ? { "Content-Type": "application/json" } : undefined
  let answer
  try {
    answer = await fetch(`/api/v1${path}`, {
      method,
      body,
      headers: { Authorization: `Bearer ${key ?? currentKey()}`, "X-Xbot-Channel": "web", "Accept-Language": document.documentElement.lang, ...json, ...headers },
      signal: ends.signal,
      credentials: "omit",
      cache: "no-store",
      referrerPolicy: "no-referrer",
    })
  } catch (error) {
    if (signal?.aborted) throw error
    throw new Problem("offline")
  } finally {
    clearTimeout(timer)
  }
  if (answer.ok) return answer
  const problem = await problemOf(answer)
  if (key !== undefined) throw problem
  if (problem.kind === "key") forgetKey("refused")
  if (problem.kind === "withdrawn") access.set("withdrawn")
  throw problem
}

async function json<T>(answer: Promise<Response>): Promise<T> {
  const arrived = await answer
  try {
    return (await arrived.json()) as T
  } catch {
    throw new Problem("offline") // the answer broke off
  }
}

/** For calls whose answer says nothing. */
async function quiet(answer: Promise<Response>): Promise<void> {
  await answer
}

const at = (conversation: string) => `/conversations/${encodeURIComponent(conversation)}`

/** Fails where the key may not be used. */
/** Tries a key, which is not kept by that. */
export const checkKey = (key: string): Promise<void> => quiet(ask("GET", "/service", { key }))

export const createConversation = (signal?: AbortSignal): Promise<Conversation> => json(ask("POST", "/conversations", { body: "{}", signal }))

export const readConversation = (id: string, signal?: AbortSignal): Promise<Conversation> => json(ask("GET", at(id), { signal }))

export const removeConversation = (id: string): Promise<void> => quiet(ask("DELETE", at(id)))

export const stopConversation = (id: string): Promise<void> => quiet(ask("POST", `${at(id)}/stop`))

export const mediaToken = (id: string): Promise<{ token: string; expires_in: number }> => json(ask("GET", `${at(id)}/media-token`))

/** Brings a file to the server, before the message that it goes with. */
export async function upload(id: string, file: File, signal?: AbortSignal): Promise<Attachment[]> {
  const body = new FormData()
  body.append("file", file, file.name)
  return json(ask("POST", `${at(id)}/attachments`, { body, signal, patience: PATIENCE_OF_FILES }))
}

export interface Outgoing {
  /** The same for each attempt, so that the message counts once. */
  key: string
  text: string
  attachments: Attachment[]
}

/** Sends a message; the answer is the stream of its turn. */
export async function sendMessage(id: string, { key, text, attachments }: Outgoing, signal: AbortSignal): Promise<Body> {
  const body = JSON.stringify({ conversation_id: id, message: text, ...(attachments.length > 0 && { attachments: attachments.map(({ path }) => path) }) })
  return bodyOf(await ask("POST", "/chat", { body, headers: { "Idempotency-Key": key }, signal }))
}

/** What goes on in a conversation after an event. */
export async function follow(id: string, after: number, signal: AbortSignal): Promise<Body> {
  return bodyOf(await ask("GET", `${at(id)}/events`, { headers: { "Last-Event-ID": String(after) }, signal }))
}

/** All that happens in a conversation after an event, for as long as it is read. */
export async function watch(id: string, after: number, signal: AbortSignal): Promise<Body> {
  return bodyOf(await ask("GET", `${at(id)}/events?follow=true`, { headers: { "Last-Event-ID": String(after) }, signal }))
}

type Body = ReadableStream<Uint8Array>

function bodyOf(answer: Response): Body {
  if (!answer.body) throw new Problem("offline")
  return answer.body
}
