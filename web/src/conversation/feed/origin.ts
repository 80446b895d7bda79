import type { Message } from "../../api/types"

const told = new Set<Message["origin"]>(["background", "cron", "hook", "subagent", "peer", "heartbeat"])

/** Whether the product said it to the model: no person wrote it. */
export const isTold = (message: Pick<Message, "origin">): boolean => told.has(message.origin)
