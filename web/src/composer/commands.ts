import type { ServerCommand } from "../api/types"
import type { Language, Translate } from "../i18n"

/** A command that can be typed. */
export interface Command {
  name: string
  /** Other names that are understood. */
  aliases?: string[]
  /** The server carries it out, with what stands behind it; all others the page itself does when they are typed alone. */
  remote?: boolean
  /** What may stand behind it. */
  args?: string
  /** What it does, in one line. */
  help: string
}

const own = ["new", "stop", "help"] as const

/** What the page itself carries out. */
export type OwnCommand = (typeof own)[number]

/** All commands: those of the page, then those of the server, which cannot take a name of the page. */
export function allCommands(t: Translate, language: Language, served: ServerCommand[]): Command[] {
  const mine: Command[] = own.map((name) => ({ name, help: t(`command.${name}`) }))
  const theirs = served.filter(({ name }) => !own.some((known) => known === name))
  return [...mine, ...theirs.map(({ name, aliases, args, help }) => ({ name, aliases: aliases ?? [], args, remote: true, help: help[language] ?? help.en ?? "" }))]
}

/** Commands that begin with what is typed, by a name of theirs, or none when the text is no beginning of a command. */
export function matchingCommands(commands: Command[], text: string): Command[] {
  const typed = typedName(text)
  if (typed === undefined) return []
  return commands.filter(({ name, aliases = [] }) => [name, ...aliases].some((known) => known.startsWith(typed)))
}

const typedName = (text: string): string | undefined => /^\/([a-z]*)$/i.exec(text)?.[1]?.toLowerCase()

/** Whether the text is a whole name of a command, so that there is nothing left to complete. */
export const isWhole = ({ name, aliases = [] }: Command, text: string): boolean => [name, ...aliases].some((known) => known === typedName(text))

/** The command of the page that a whole message is, if it is one. */
export function ownCommand(text: string): OwnCommand | undefined {
  const name = /^\/([a-z]+)\s*$/i.exec(text.trim())?.[1]?.toLowerCase()
  return own.find((known) => known === name)
}

/** Whether a message runs in the sandbox rather than being said to the model: `!` and something behind it. */
export const isBang = (text: string): boolean => /^\s*!\s*\S/.test(text)
