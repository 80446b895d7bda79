// The nouns of the page, taken from the types that openapi-typescript makes of the server's own document. This is the
// only file that knows where in that document each one lives.
import type { components } from "./schema"

type Schemas = components["schemas"]

export type User = Schemas["User"]
export type Me = Schemas["Me"]
export type LoginInfo = Schemas["LoginState"]
export type Session = Schemas["Session"]
export type Message = Schemas["Message"]
/** Names a picture of a conversation. */
export type PictureRef = Schemas["PictureRef"]
export type ToolCall = Schemas["ToolCall"]
export type Approval = Schemas["Approval"]
/** A question of the model to a person. */
export type Inquiry = Schemas["Inquiry"]
export type Task = Schemas["Task"]
/** Where commands can run. */
export type Runner = Schemas["Runner"]
/** The places where commands can run, and the chosen one. */
export type RunnerList = Omit<Schemas["Runners"], "runners"> & { runners: Runner[] }
export type FileEntry = Schemas["FileEntry"]
export type Folder = Omit<Schemas["Folder"], "entries"> & { entries: FileEntry[] }
export type FileText = Schemas["FileText"]
export type SavedText = Schemas["SavedText"]
export type FileTable = Schemas["FileTable"]
export type FoundFiles = Schemas["FoundFiles"]
export type UploadedFile = Schemas["UploadedFile"]
/** A turn as the feed tells of it. "released": it ended before its first step, and its message waits again. */
export type ToldTurn = Omit<Schemas["Turn"], "run_id">
export type Turn = ToldTurn & { state: Exclude<ToldTurn["state"], "released"> }

/** That a turn waits for its model provider. */
export type Wait = Schemas["Wait"]

/** Whether a turn is one to show: a released one never was, for the person. */
export const isTold = (turn: ToldTurn): turn is Turn => turn.state !== "released"

export type Usage = Schemas["Usage"]

/** default: all layers. none: nothing is masked or compressed unless somebody asks. */
export type ContextMode = "default" | "none"

/** A summary that stands for the beginning of a conversation. */
export type Compaction = Schemas["ContextCompaction"]
/** What a request to the model is made of, and what the layers have done to it. */
export type ContextView = Schemas["Context"]
/** What a step sent to the model. */
export type SentRequest = Schemas["SentRequest"]
export type SentMessage = Schemas["SentMessage"]

/** What something has used; its cost is missing where no price is known. */
export type UsageRow = Omit<Schemas["Spent"], "model">
export type UsageDay = Schemas["SpentDay"]
export type UsageSession = Schemas["SpentSession"]
export type UsageReport = Omit<Schemas["UsageReport"], "days" | "sessions" | "total" | "media"> & { days: UsageDay[]; sessions: UsageSession[]; total: UsageRow; media: MediaDay[] }
/** Pictures, sound or video of one model on one day. */
export type MediaDay = Schemas["MediaDay"]

/** A slash command of the server. */
export type ServerCommand = Schemas["Command"]

export type Queued = Schemas["Queued"]
/** How a message joins a conversation that is busy. */
export type QueueMode = NonNullable<Queued["mode"]>
export type ChatType = Session["chat_type"]
export type Todo = Schemas["Todo"]
export type Token = Schemas["Token"]

// The document does not describe what only the event stream carries. These are the types of internal/chat/event.go.

/** The first event of a connection. */
export interface Hello {
  seq: number
  /** Events after the cursor are not kept any more. */
  gap?: boolean
  session: Session
}

/** How an accepted message ended that no turn of its own answers. */
export type DropOutcome = "stopped" | "rejected" | "superseded" | "recalled" | "dropped" | "summarized"

/** An accepted message that ended without a turn; `text` is one sentence for the person. */
export interface Dropped {
  inbox_id: number
  outcome: DropOutcome
  text: string
}

/** A tool call that started or is done. */
export type ToolEvent = ToolCall & { turn_id: string; step: number }

/** A model call failed; `attempt`, from 2, is the one that comes next, after `delay_ms`. */
export interface Retry {
  turn_id: string
  step: number
  attempt: number
  max: number
  delay_ms: number
  reason: string
  text: string
}

/** Text that the model is writing now. Offsets are the lengths, in bytes, of what came before this piece. */
export interface Delta {
  turn_id: string
  step: number
  attempt: number
  offset: number
  text?: string
  reasoning_offset: number
  reasoning?: string
  tool_name?: string
  /** What goes on before the model is asked. */
  doing?: "compress"
}

/** Messages that were taken out of the conversation: those from one to the other. */
export interface Rewound {
  from: number
  upto: number
  /** Older messages were brought back in their place: everything is read anew. */
  again?: boolean
}

/** What a running command printed, `offset` bytes from its start. */
export interface Output {
  turn_id: string
  call_id: string
  offset: number
  text: string
}

export interface Snapshot {
  messages: Message[]
  queued: Queued[]
  todos: Todo[]
  /** Background tasks, without their output. */
  tasks: Task[]
  /** Feed cursor that matches this snapshot: events after it are not in it. */
  seq: number
  hasMore: boolean
}

/** Something that a model wants this tab to show. */
export interface ClientAction {
  call_id: string
  action: "open" | "theme" | "layout"
  what?: string
  value?: string
}

/** One event of a session's feed. `seq` is missing on live kinds and on hello. */
export type FeedEvent = { seq?: number } & (
  | { kind: "hello"; data: Hello }
  | { kind: "queued"; data: Queued }
  | { kind: "dropped"; data: Dropped }
  | { kind: "message"; data: Message }
  | { kind: "turn"; data: ToldTurn }
  | { kind: "tool"; data: ToolEvent }
  | { kind: "retry"; data: Retry }
  | { kind: "todos"; data: Todo[] }
  | { kind: "task"; data: Task }
  | { kind: "session"; data: Session }
  | { kind: "rewind"; data: Rewound }
  | { kind: "delta"; data: Delta }
  | { kind: "output"; data: Output }
  | { kind: "below"; data: object }
  | { kind: "action"; data: ClientAction }
)
