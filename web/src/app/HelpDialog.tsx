import type { ReactNode } from "react"

import { type Command, commandGroups } from "../conversation/composer/commands"
import { useCommands } from "../conversation/composer/useCommands"
import { useT } from "../i18n"
import { helpWords } from "../i18n/help"
import { useTable } from "../i18n/table"
import { Modal } from "../ui/Modal"
import { commandKey } from "./useShortcuts"

/** What can be typed and pressed. */
export default function HelpDialog({ onClose }: { onClose: () => void }) {
  const t = useT()
  const say = useTable(helpWords)
  const commands = useCommands(true)
  const keys: [string[], string][] = [
    [["Enter"], say("send")],
    [["Shift", "Enter"], say("newline")],
    [["↑"], say("recall")],
    [["↑"], say("editWaiting")],
    [[commandKey, "K"], say("search")],
    [[commandKey, "Shift", "O"], say("newConversation")],
    [[commandKey, "."], say("details")],
    [["Esc"], say("question")],
    [["A"], say("allow")],
    [["D"], say("deny")],
    [["Esc"], say("close")],
  ]
  return (
    <Modal wide onClose={onClose} title={say("title")}>
      {commandGroups.map((group) => {
        const rows = commands.filter((command) => command.group === group).map(rowOf)
        if (group === "page") rows.push([<code key="bang">!ls</code>, say("bang")])
        return rows.length > 0 && <Group key={group} title={t(`group.${group}`)} rows={rows} />
      })}
      <Group title={say("keys")} rows={keys.map(([names, text]) => [<Keys key="keys" names={names} />, text])} />
    </Modal>
  )
}

type Row = [ReactNode, string]

const rowOf = ({ name, args, help }: Command): Row => [
  <code key="name" className="text-right break-words">
    /{name} <span className="text-ink-3">{args}</span>
  </code>,
  help,
]

function Group({ title, rows }: { title: string; rows: Row[] }) {
  return (
    <>
      <h3 className="mt-6 mb-2 text-small text-ink-3 first:mt-2">{title}</h3>
      <List rows={rows} />
    </>
  )
}

function List({ rows }: { rows: Row[] }) {
  return (
    <dl className="divide-y divide-line">
      {rows.map(([term, text]) => (
        <div key={text} className="flex items-baseline justify-between gap-6 py-2">
          <dt className="order-2 flex max-w-[60%] shrink-0 justify-end">{term}</dt>
          <dd className="text-ink-2">{text}</dd>
        </div>
      ))}
    </dl>
  )
}

function Keys({ names }: { names: string[] }) {
  return (
    <span className="flex gap-1">
      {names.map((name) => (
        <kbd key={name} className="min-w-6 rounded-sm border border-line-strong px-1.5 text-center font-sans text-small">
          {name}
        </kbd>
      ))}
    </span>
  )
}
