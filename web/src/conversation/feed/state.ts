import type { Dropped, Message, Queued, Retry, Session, Task, Todo, ToolEvent, Turn } from "../../api/types"
import type { PartialText } from "./partial-text"

/** The step that the model is writing now. */
export interface LiveStep {
  step: number
  attempt: number
  text: PartialText
  reasoning: PartialText
  /** Set while the model writes the arguments of a tool call. */
  toolName?: string
  /** What goes on before the model is asked. */
  doing?: "compress"
  /** The step was begun again although no retry was announced: its process had died. */
  restarted: boolean
}

/** What the feed said about one turn, beside its messages. */
export interface TurnFeed {
  turn?: Turn
  live?: LiveStep
  /** The announced next attempt of a failed model call, until that attempt says something. */
  retry?: Retry
  /** The attempt that the last retry announced, kept so that it is not taken for a restart. */
  announced?: { step: number; attempt: number }
  /** Newest state of each tool call by call id. */
  calls: Record<string, ToolEvent>
  /** What running commands printed so far, by call id. */
  outputs: Record<string, PartialText>
  /** Something was heard of the turn since this connection was made. */
  heard: boolean
}

export const emptyTurnFeed: TurnFeed = { calls: {}, outputs: {}, heard: false }

/** A message that was accepted but ended without a turn. */
export interface DroppedMessage extends Dropped {
  message?: Queued
}

/** Everything the page knows of one session. */
export interface FeedState {
  /** A snapshot was read; before that the page must not say that a conversation is empty. */
  loaded: boolean
  /** A durable event is missing, so the snapshot has to be read again. */
  stale: boolean
  /** Sequence of the last durable event applied. */
  seq: number
  session?: Session
  /** By ascending id, each once. */
  messages: Message[]
  /** Older messages exist before the first one here. */
  hasMore: boolean
  queued: Queued[]
  dropped: DroppedMessage[]
  todos: Todo[]
  /** Background tasks, newest first. */
  tasks: Task[]
  /** What running background tasks printed while this page listened, by call id. */
  taskOutputs: Record<string, PartialText>
  turns: Record<string, TurnFeed>
  /** Connections made so far. */
  connections: number
  /** How often something may have happened among the subagents: it was told so, or a connection was made. */
  below: number
}

export const emptyFeed: FeedState = {
  loaded: false,
  stale: false,
  seq: 0,
  messages: [],
  hasMore: false,
  queued: [],
  dropped: [],
  todos: [],
  tasks: [],
  taskOutputs: {},
  turns: {},
  connections: 0,
  below: 0,
}

/** The turn that runs now, if one does. */
export function runningTurn(state: FeedState): string | undefined {
  for (const [id, feed] of Object.entries(state.turns)) {
    if (feed.turn?.state === "running") return id
  }
  const named = state.session?.running
  return named && !state.turns[named]?.turn ? named : undefined
}
