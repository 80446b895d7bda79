import type { Key } from "../i18n"

/** A command that the page itself carries out when it is typed alone. */
export interface Command {
  name: "new" | "stop" | "help"
  text: Extract<Key, `command.${string}`>
}

export const commands: Command[] = [
  { name: "new", text: "command.new" },
  { name: "stop", text: "command.stop" },
  { name: "help", text: "command.help" },
]

/** Commands whose name begins with what is typed, or none when the text is no beginning of a command. */
export function matchingCommands(text: string): Command[] {
  const typed = /^\/([a-z]*)$/i.exec(text)?.[1]
  return typed === undefined ? [] : commands.filter((command) => command.name.startsWith(typed.toLowerCase()))
}

/** The command that a whole message is, if it is one. */
export function commandOf(text: string): Command | undefined {
  const name = /^\/([a-z]+)\s*$/i.exec(text.trim())?.[1]?.toLowerCase()
  return commands.find((command) => command.name === name)
}
