import type { Message } from "../../api/types"

const automatic = new Set<Message["origin"]>(["background", "cron", "hook", "subagent", "peer", "heartbeat"])

/** Whether the product said it to the model: no person wrote it. */
export const isAutomatic = (message: Pick<Message, "origin">): boolean => automatic.has(message.origin)
