import { type Command, type CommandGroup, completions, isWhole, matchingCommands, type Names, type OwnCommand, ownCommand } from "./commands"

/** One way to go on with what is typed. */
export interface Option {
  id: string
  name: string
  args?: string
  help?: string
  group?: CommandGroup
  /** What stands in the box when it is taken. */
  text: string
  /** The page does this when it is taken. */
  does?: OwnCommand
  /** The text is a command already, which Enter sends as it stands. */
  whole: boolean
}

/** What the text may go on with: names of commands, or words behind one. */
export function optionsFor(commands: Command[], text: string, names: Names): Option[] {
  const named = matchingCommands(commands, text).map((command): Option => {
    const { name, args, help, group, remote } = command
    return {
      id: `command-${name}`, name: `/${name}`, args, help, group, text: `/${name} `,
      does: remote ? undefined : ownCommand(`/${name}`), whole: remote === true && isWhole(command, text),
    }
  })
  if (named.length > 0) return named
  const words = completions(commands, text, names)
  return words.map((completion, n) => ({ id: `command-word-${n}`, name: completion.word, text: completion.text, whole: true }))
}
