// The nouns of the page, taken from the types that openapi-typescript makes of the server's own document. This is the
// only file that knows where in that document each one lives.
import type { components } from "./schema"

type Schemas = components["schemas"]

export type User = Schemas["User"]
export type Me = Schemas["Me"]
export type LoginInfo = Schemas["LoginInfo"]
export type Session = Schemas["Session"]
export type Message = Schemas["Message"]
export type ToolCall = Schemas["ToolCall"]
export type ToolEvent = Schemas["ToolEvent"]
export type Turn = Schemas["Turn"]
export type Usage = Schemas["Usage"]
export type Queued = Schemas["Queued"]
export type Dropped = Schemas["Dropped"]
export type Retry = Schemas["Retry"]
export type Todo = Schemas["Todo"]
export type Delta = Schemas["Delta"]
export type Output = Schemas["Output"]
export type Hello = Schemas["Hello"]
export type Token = Schemas["Token"]

export interface Snapshot {
  messages: Message[]
  queued: Queued[]
  todos: Todo[]
  /** Feed cursor that matches this snapshot: events after it are not in it. */
  seq: number
  hasMore: boolean
}

/** One event of a session's feed. `seq` is missing on live kinds and on hello. */
export type FeedEvent = { seq?: number } & (
  | { kind: "hello"; data: Hello }
  | { kind: "queued"; data: Queued }
  | { kind: "dropped"; data: Dropped }
  | { kind: "message"; data: Message }
  | { kind: "turn"; data: Turn }
  | { kind: "tool"; data: ToolEvent }
  | { kind: "retry"; data: Retry }
  | { kind: "todos"; data: Todo[] }
  | { kind: "session"; data: Session }
  | { kind: "delta"; data: Delta }
  | { kind: "output"; data: Output }
)
