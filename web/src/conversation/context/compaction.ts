import type { Compaction, Message } from "../../api/types"

/** The compaction that a notice tells of: the one that was written with it, so at the same time. */
export function toldBy(compactions: Compaction[], message: Message): Compaction | undefined {
  const at = Date.parse(message.created_at)
  const distance = (compaction: Compaction) => Math.abs(Date.parse(compaction.created_at) - at)
  return [...compactions].sort((a, b) => distance(a) - distance(b))[0]
}
