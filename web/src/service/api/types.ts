// The consumer API, as far as the page uses it.

export interface Attachment {
  path: string
  name: string
  type: string
  size: number
}

export interface Call {
  id: string
  name: string
  /** JSON, or the beginning of it while it is written. */
  args: string
  /** It is being written: whether it begins is not known yet. */
  writing?: boolean
  result?: string | null
  ok?: boolean
}

export interface Message {
  id: string
  role: "user" | "assistant"
  content: string
  timestamp?: string
  reasoning?: string
  tool_calls?: Call[] | null
  attachments?: Attachment[] | null
  error?: string
  stopped?: boolean
  /** A person of the house wrote it, in place of the agent. */
  by?: "person"
  /** The same for all messages of an answer. */
  turn_id?: string
  /** A scheduled task has begun the answer: nobody asked. */
  origin?: "task"
}

/** Who answers. */
export type Answerer = "agent" | "person"

export interface Conversation {
  id: string
  title: string
  running: boolean
  answered_by?: Answerer
  /** Events after this one are not in the messages. */
  seq: number
  messages?: Message[] | null
  /** The turn_id of what a scheduled task has begun and is being written. */
  running_task?: string
}

/** What a stream tells. */
export type ChatEvent =
  | { type: "accepted"; message_id: string }
  | { type: "token" | "thinking" | "waiting"; content: string }
  | { type: "message"; content: string; reasoning?: string }
  | { type: "tool_call"; id: string; name: string; args: string }
  | { type: "tool_call_chunk"; id: string; name: string; args_delta: string }
  | { type: "tool_result"; id: string; name: string; content: string; ok?: boolean }
  | { type: "restart" | "changed" }
  | { type: "said"; message_id: string; content: string; by: Answerer }
  | { type: "answers"; by: Answerer }
  | { type: "begun"; turn_id: string; origin: "task" }
  | { type: "done"; finish_reason?: string }
  | { type: "error"; content: string; code?: string }
