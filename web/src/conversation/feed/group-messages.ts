import type { Message } from "../../api/types"

/** One thing that somebody said. */
export interface GroupMessage {
  id: string
  sender?: string
  text: string
}

/**
 * What a message of the server lists: a heading for the model, then what was said, each from its own line on; lines that
 * are indented go on with the one above.
 */
export function linesOf(messages: Message[]): GroupMessage[] {
  return messages.flatMap(({ id, sender, content }) => {
    if (sender) return [{ id: String(id), sender, text: content }]
    const said = content.split("\n").slice(1).join("\n").split(/\n(?! {2})/)
    return said.filter((one) => one.trim() !== "").map((one, n) => ({ id: `${id}.${n}`, ...split(one.replaceAll("\n  ", "\n")) }))
  })
}

/** "name: text" and "- name: text" as name and text. */
function split(said: string): { sender?: string; text: string } {
  const [, sender, text] = /^(?:- )?([^:：\n]{1,40})[:：] ([^]+)$/.exec(said) ?? []
  return sender && text ? { sender, text } : { text: said.replace(/^- /, "") }
}
