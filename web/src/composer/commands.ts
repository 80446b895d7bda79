import type { Key } from "../i18n"

/** A command that can be typed. */
export interface Command {
  name: "new" | "stop" | "help" | "runner" | "approve" | "deny"
  /** The server carries it out, with what stands behind it; all others the page itself does when they are typed alone. */
  remote?: boolean
  /** What may stand behind it. */
  args?: string
  text: Extract<Key, `command.${string}`>
}

export const commands: Command[] = [
  { name: "new", text: "command.new" },
  { name: "stop", text: "command.stop" },
  { name: "approve", remote: true, args: "[…]", text: "command.approve" },
  { name: "deny", remote: true, args: "[…]", text: "command.deny" },
  { name: "runner", remote: true, args: "[use …]", text: "command.runner" },
  { name: "help", text: "command.help" },
]

/** Commands whose name begins with what is typed, or none when the text is no beginning of a command. */
export function matchingCommands(text: string): Command[] {
  const typed = /^\/([a-z]*)$/i.exec(text)?.[1]
  return typed === undefined ? [] : commands.filter((command) => command.name.startsWith(typed.toLowerCase()))
}

/** The command of the page that a whole message is, if it is one. */
export function commandOf(text: string): Command | undefined {
  const name = /^\/([a-z]+)\s*$/i.exec(text.trim())?.[1]?.toLowerCase()
  return commands.find((command) => command.name === name && !command.remote)
}

/** Whether a message runs in the sandbox rather than being said to the model: `!` and something behind it. */
export const isBang = (text: string): boolean => /^\s*!\s*\S/.test(text)
