import { useT } from "../i18n"
import { cx } from "../lib/cx"
import type { Command } from "./commands"

interface Props {
  commands: Command[]
  chosen: number
  onRun: (command: Command) => void
}

/** The commands that match what is typed. The editor keeps the focus and tells which one is chosen. */
export function CommandMenu({ commands, chosen, onRun }: Props) {
  const t = useT()
  return (
    <ul
      id="commands"
      role="listbox"
      aria-label={t("composer.commands")}
      className="absolute inset-x-0 bottom-full z-10 mb-2 max-h-[min(24rem,60dvh)] overflow-y-auto rounded-lg border border-line bg-overlay p-1 shadow-overlay"
    >
      {commands.map((command, n) => (
        <li
          key={command.name}
          id={`command-${command.name}`}
          role="option"
          aria-selected={n === chosen}
          onMouseDown={(event) => {
            event.preventDefault()
            onRun(command)
          }}
          ref={n === chosen ? intoView : undefined}
          className={cx("flex cursor-pointer flex-wrap items-baseline gap-x-3 rounded-md px-3 py-1.5 hover:bg-hover md:flex-nowrap", n === chosen && "bg-hover")}
        >
          <span className="shrink-0 md:w-48">
            <span className="font-medium">/{command.name}</span> <span className="text-ink-3">{command.args}</span>
          </span>
          <span className="min-w-0 text-ink-2">{command.help}</span>
        </li>
      ))}
    </ul>
  )
}

const intoView = (element: HTMLElement | null) => element?.scrollIntoView({ block: "nearest" })
