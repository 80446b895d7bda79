import type { ServerCommand } from "../../api/types"
import type { Language, Translate } from "../../i18n"

/** What commands are about, in the order in which people are told of them. */
export const commandGroups = ["page", "conversation", "model", "context", "queue", "folder", "you", "server", "other"] as const

export type CommandGroup = (typeof commandGroups)[number]

/** A command that can be typed. */
export interface Command {
  name: string
  /** Other names that are understood. */
  aliases?: string[]
  /** The server carries it out, with what stands behind it; all others the page itself does when they are typed alone. */
  remote?: boolean
  /** What may stand behind it, for people. */
  args?: string
  /** What may be typed behind it; more follows a word that ends with a space. */
  words?: string[]
  group: CommandGroup
  /** It is understood inside of a message. */
  inline?: boolean
  /** What it does, in one line. */
  help: string
}

const own = ["stop", "help"] as const

/** What the page itself carries out. */
export type OwnCommand = (typeof own)[number]

/** All commands by group: those of the page, and those of the server, which cannot take a name of the page. */
export function allCommands(t: Translate, language: Language, served: ServerCommand[], mayAll: boolean): Command[] {
  const mine: Command[] = own.map((name) => ({ name, group: "page", help: t(`command.${name}`) }))
  const theirs = served
    .filter(({ name, who }) => !own.some((known) => known === name) && (who !== "admin" || mayAll))
    .map(({ name, aliases, args, words, group, inline, help }): Command => ({
      name, aliases: aliases ?? [], args, words: words ?? [], group: groupOf(group), inline, remote: true, help: help[language] ?? help.en ?? "",
    }))
  return commandGroups.flatMap((group) => [...mine, ...theirs].filter((command) => command.group === group))
}

const groupOf = (name: string | undefined): CommandGroup => commandGroups.find((group) => group === name) ?? "other"

/** Commands that begin with what is typed, by a name of theirs, or none when the text is no beginning of a command. */
export function matchingCommands(commands: Command[], text: string): Command[] {
  const typed = typedName(text)
  if (typed === undefined) return []
  return commands.filter((command) => namesOf(command).some((known) => known.startsWith(typed)))
}

const typedName = (text: string): string | undefined => /^[/／]([a-z]*)$/i.exec(text)?.[1]?.toLowerCase()

const namesOf = ({ name, aliases = [] }: Command): string[] => [name, ...aliases]

/** Whether the text is a whole name of a command, so that there is nothing left to complete. */
export const isWhole = (command: Command, text: string): boolean => namesOf(command).some((known) => known === typedName(text))

/** The command of the page that a whole message is, if it is one. */
export function ownCommand(text: string): OwnCommand | undefined {
  const name = /^[/／]([a-z]+)\s*$/i.exec(text.trim())?.[1]?.toLowerCase()
  return own.find((known) => known === name)
}

/** Whether a message runs in the sandbox rather than being said to the model: `!` and something behind it. */
export const isBang = (text: string): boolean => /^\s*!\s*\S/.test(text)

/** One way to go on with what is typed: the whole text with it, and the part that is new to people. */
export interface Completion {
  text: string
  word: string
}

/** Names that may stand behind commands, as far as they are known. */
export interface Names {
  models: string[]
  runners: { name: string; revocable: boolean }[]
}

/** Commands whose first word is a model. */
const ofModels = ["model", "new"]

/** What may follow the name of a command that is typed with a space behind it. */
export function completions(commands: Command[], text: string, names: Names): Completion[] {
  const [, name = "", typed = ""] = /^[/／]([a-z]+)[ \t]+([^\n]*)$/i.exec(text) ?? []
  const command = commands.find((candidate) => namesOf(candidate).includes(name.toLowerCase()))
  if (!command?.remote) return []
  const models = ofModels.includes(command.name) && !/\s/.test(typed) ? names.models : []
  const begins = (word: string, beginning: string) => word.toLowerCase().startsWith(beginning.toLowerCase())
  const words = (command.words ?? []).flatMap((word) => [word, ...(begins(typed, word) ? runnersBehind(command, word, names).map((runner) => word + runner) : [])])
  const begun = [...models, ...words].filter((word) => begins(word, typed) && word.trimEnd() !== typed.trimEnd())
  return [...new Set(begun)].map((word) => ({ text: `/${name} ${word}`, word: word.trimEnd() }))
}

/** The runners that a word of a command may be followed by. */
function runnersBehind({ name }: Command, word: string, { runners }: Names): string[] {
  if (name !== "runner") return []
  if (word === "use ") return runners.map((runner) => runner.name)
  return word === "revoke " ? runners.filter(({ revocable }) => revocable).map((runner) => runner.name) : []
}

/** Whether the models are needed to complete a text. */
export const wantsModels = (text: string): boolean => /^[/／](model|new)\s/i.test(text)

/** Whether the runners are. */
export const wantsRunners = (text: string): boolean => /^[/／]runner\s/i.test(text)

/** A part of a text that is no word to the model: from one character up to another. */
export interface Span {
  from: number
  to: number
}

/** Commands that may stand in a message and hold for it alone, with a word behind them. */
const directives = ["think", "verbose"]

/** The directives and the commands in a message that the server takes out of it. */
export function directivesIn(commands: Command[], text: string): Span[] {
  const spans: Span[] = []
  for (const match of text.matchAll(/(^|\s)\/([a-z]+)(?:(?::\s*|[ \t]+)([a-z]+))?(?![\w/])/gi)) {
    const [all, before = "", name = "", word] = match
    const command = commands.find((candidate) => namesOf(candidate).includes(name.toLowerCase()))
    if (!command) continue
    const from = match.index + before.length
    const takes = directives.includes(command.name) && word !== undefined && (command.words ?? []).some((known) => known.trim() === word.toLowerCase())
    if (takes) spans.push({ from, to: match.index + all.length })
    else if (from === 0 || command.inline === true) spans.push({ from, to: from + 1 + name.length })
  }
  return spans
}
