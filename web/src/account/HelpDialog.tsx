import type { ReactNode } from "react"

import { commandKey } from "../app/useShortcuts"
import { useCommands } from "../composer/useCommands"
import { useT } from "../i18n"
import { Modal } from "../ui/Modal"

/** What can be typed and pressed. */
export default function HelpDialog({ onClose }: { onClose: () => void }) {
  const t = useT()
  const commands = useCommands(true)
  const keys: [string[], string][] = [
    [["Enter"], t("help.send")],
    [["Shift", "Enter"], t("help.newline")],
    [["↑"], t("help.recall")],
    [[commandKey, "K"], t("help.search")],
    [[commandKey, "Shift", "O"], t("help.newConversation")],
    [[commandKey, "."], t("help.details")],
    [["Esc"], t("help.question")],
    [["A"], t("help.allow")],
    [["D"], t("help.deny")],
    [["Esc"], t("help.close")],
  ]
  return (
    <Modal onClose={onClose} title={t("help.title")}>
      <h3 className="mt-2 mb-2 text-small text-ink-3">{t("help.commands")}</h3>
      <List rows={[...commands.map((command): Row => [<code key="name">/{command.name}</code>, command.help]), [<code key="bang">!ls</code>, t("help.bang")]]} />
      <h3 className="mt-6 mb-2 text-small text-ink-3">{t("help.keys")}</h3>
      <List rows={keys.map(([names, text]) => [<Keys key="keys" names={names} />, text])} />
    </Modal>
  )
}

type Row = [ReactNode, string]

function List({ rows }: { rows: Row[] }) {
  return (
    <dl className="divide-y divide-line">
      {rows.map(([term, text]) => (
        <div key={text} className="flex items-center justify-between gap-6 py-2">
          <dt className="order-2 shrink-0">{term}</dt>
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
