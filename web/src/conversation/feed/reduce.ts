import { type Delta, type FeedEvent, type Hello, isTold, type Message, type Queued, type Rewound, type Snapshot, type ToolEvent, type Turn } from "../../api/types"
import { addDelta, addOutput, announceRetry, settleStep } from "./live-step"
import { furtherCall, furtherTurn, mergeMessages } from "./merge"
import { type DroppedMessage, emptyTurnFeed, type FeedState, type TurnFeed } from "./state"
import { addTaskOutput, applyTask, handOver, mergeTasks } from "./tasks"

/** What can happen to the page's knowledge of a session. */
export type FeedAction =
  | { type: "snapshot"; snapshot: Snapshot }
  | { type: "older"; snapshot: Snapshot }
  | { type: "turns"; turns: Turn[] }
  | { type: "events"; events: FeedEvent[] }
  | { type: "forget"; inbox: number }

/**
 * The one place where a session's state changes. It is pure, takes durable events in any number of repetitions, and marks
 * the state `stale` when a durable event is missing, so that the caller reads the snapshot again.
 */
export function reduceFeed(state: FeedState, action: FeedAction): FeedState {
  switch (action.type) {
    case "snapshot":
      return applySnapshot(state, action.snapshot)
    case "older":
      return {
        ...state,
        messages: mergeMessages(state.messages, action.snapshot.messages),
        hasMore: action.snapshot.hasMore,
      }
    case "turns":
      return action.turns.reduce(applyTurn, state)
    case "events":
      return action.events.reduce(applyEvent, state)
    case "forget":
      return { ...state, dropped: without(state.dropped, action.inbox) }
  }
}

function applySnapshot(state: FeedState, snapshot: Snapshot): FeedState {
  const joined = joins(state, snapshot)
  const older = joined ? state.messages.filter((message) => message.id < (snapshot.messages[0]?.id ?? 0)) : []
  const messages = [...older, ...snapshot.messages]
  const base: FeedState = {
    ...state,
    loaded: true,
    stale: false,
    seq: snapshot.seq,
    messages,
    hasMore: joined && state.loaded ? state.hasMore : snapshot.hasMore,
    queued: snapshot.queued,
    todos: snapshot.todos,
    tasks: snapshot.seq < state.seq ? snapshot.tasks : mergeTasks(state.tasks, snapshot.tasks),
    turns: snapshot.seq < state.seq ? {} : state.turns,
  }
  return snapshot.messages.reduce(settleMessage, base)
}

/** Whether the messages known so far lie without a hole before those of a snapshot of the same history. */
function joins(state: FeedState, snapshot: Snapshot): boolean {
  const first = snapshot.messages[0]
  const last = state.messages.at(-1)
  if (snapshot.seq < state.seq || !first || !last) return false
  return !snapshot.hasMore || first.id <= last.id
}

function applyEvent(state: FeedState, event: FeedEvent): FeedState {
  if (event.kind === "hello") return applyHello(state, event.data)
  if (event.seq === undefined) return applyLive(state, event)
  if (event.seq <= state.seq) return state
  const next = applyDurable({ ...state, seq: event.seq }, event)
  return event.seq === state.seq + 1 ? next : { ...next, stale: true }
}

/**
 * A server whose history is shorter than what is known here was set back, and one that says gap does not keep what came since:
 * everything is read anew.
 */
function applyHello(state: FeedState, { seq, session, gap }: Hello): FeedState {
  const turns = Object.fromEntries(Object.entries(state.turns).map(([id, feed]) => [id, { ...feed, heard: false }]))
  return { ...state, session, turns, connections: state.connections + 1, below: state.below + 1, stale: state.stale || seq < state.seq || gap === true }
}

function applyDurable(state: FeedState, event: FeedEvent): FeedState {
  switch (event.kind) {
    case "queued":
      return { ...state, queued: queue(state.queued, event.data) }
    case "dropped":
      return {
        ...state,
        queued: without(state.queued, event.data.inbox_id),
        dropped: [...state.dropped, droppedMessage(state.queued, event.data)],
      }
    case "message":
      return settleMessage({ ...state, messages: mergeMessages(state.messages, [event.data]) }, event.data)
    case "turn":
      return isTold(event.data) ? applyTurn(state, event.data) : releaseTurn(state, event.data.id)
    case "tool":
      return applyTool(state, event.data)
    case "retry":
      return withTurn(state, event.data.turn_id, (feed) => announceRetry(feed, event.data))
    case "todos":
      return { ...state, todos: event.data ?? [] }
    case "task":
      return applyTask(state, event.data)
    case "session":
      return { ...state, session: event.data }
    case "rewind":
      return event.data.again ? { ...rewind(state, event.data), stale: true } : rewind(state, event.data)
    default:
      return state
  }
}

/** Live pieces of a turn that ended, or of a step whose message is there, came late and change nothing. */
function applyLive(state: FeedState, event: FeedEvent): FeedState {
  if (event.kind === "below") return { ...state, below: state.below + 1 }
  if (event.kind !== "delta" && event.kind !== "output") return state
  const ofTask = event.kind === "output" ? addTaskOutput(state, event.data) : undefined
  if (ofTask) return ofTask
  const ended = state.turns[event.data.turn_id]?.turn
  if (ended && ended.state !== "running") return state
  if (event.kind === "output") return withTurn(state, event.data.turn_id, (feed) => addOutput(feed, event.data))
  if (isSettled(state.messages, event.data)) return state
  return withTurn(state, event.data.turn_id, (feed) => addDelta(feed, event.data))
}

function isSettled(messages: Message[], delta: Delta): boolean {
  return messages.some((m) => m.role === "assistant" && m.turn_id === delta.turn_id && m.step >= delta.step)
}

function applyTurn(state: FeedState, turn: Turn): FeedState {
  return withTurn(state, turn.id, (feed) => {
    const further = furtherTurn(feed.turn, turn)
    if (further.state === "running" && further.waits) return { ...feed, turn: further, live: undefined, retry: undefined }
    if (further.state === "running") return { ...feed, turn: further }
    return { ...feed, turn: further, live: undefined, retry: undefined, outputs: {} }
  })
}

/** A turn ended before its first step: it never was, and its message will be told as queued again. */
function releaseTurn(state: FeedState, id: string): FeedState {
  const { [id]: released, ...turns } = state.turns
  return { ...state, turns: released ? turns : state.turns, messages: state.messages.filter((message) => message.turn_id !== id) }
}

/** Messages were taken out of the conversation, perhaps for older ones that are read anew, and with them the turns that nothing is left of. */
function rewind(state: FeedState, { from, upto }: Rewound): FeedState {
  const messages = state.messages.filter(({ id }) => id < from || id > upto)
  const left = new Set(messages.map((message) => message.turn_id))
  const gone = state.messages.filter((message) => message.turn_id && !left.has(message.turn_id)).map((message) => message.turn_id)
  const turns = Object.fromEntries(Object.entries(state.turns).filter(([id]) => !gone.includes(id)))
  return { ...state, messages, turns }
}

function applyTool(state: FeedState, call: ToolEvent): FeedState {
  const printed = state.turns[call.turn_id]?.outputs[call.id]
  const base = call.task && printed ? handOver(state, call.id, printed) : state
  return withTurn(base, call.turn_id, (feed) => {
    const further = furtherCall(feed.calls[call.id], call)
    const { [call.id]: finished, ...running } = feed.outputs
    const outputs = further.state === "done" && finished ? running : feed.outputs
    return { ...feed, calls: { ...feed.calls, [call.id]: further }, outputs }
  })
}

/** What a message makes superfluous: its place in the queue, or the live text of its step. */
function settleMessage(state: FeedState, message: Message): FeedState {
  if (message.role === "user" && message.inbox_id !== undefined) {
    const queued = without(state.queued, message.inbox_id)
    const dropped = without(state.dropped, message.inbox_id) // its row tells the same
    return queued.length + dropped.length === state.queued.length + state.dropped.length ? state : { ...state, queued, dropped }
  }
  if (message.role !== "assistant" || !message.turn_id || !state.turns[message.turn_id]) return state
  return withTurn(state, message.turn_id, (feed) => settleStep(feed, message.step))
}

function withTurn(state: FeedState, id: string, change: (feed: TurnFeed) => TurnFeed): FeedState {
  const before = state.turns[id] ?? emptyTurnFeed
  const after = change(before)
  if (after === before) return state
  return { ...state, turns: { ...state.turns, [id]: after.heard ? after : { ...after, heard: true } } }
}

/** A message takes its place at the end; one that was changed keeps the place it has. */
function queue(queued: Queued[], told: Queued): Queued[] {
  const known = queued.some((entry) => entry.inbox_id === told.inbox_id)
  return known ? queued.map((entry) => (entry.inbox_id === told.inbox_id ? told : entry)) : [...queued, told]
}

function without<T extends { inbox_id: number }>(entries: T[], inbox: number): T[] {
  return entries.filter((entry) => entry.inbox_id !== inbox)
}

function droppedMessage(queued: Queued[], dropped: Omit<DroppedMessage, "message">): DroppedMessage {
  const message = queued.find((entry) => entry.inbox_id === dropped.inbox_id)
  return message ? { ...dropped, message } : dropped
}
