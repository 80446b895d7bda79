import { useId } from "react"

import { useT } from "../../i18n"
import { cx } from "../../lib/cx"
import type { Option } from "./options"

interface Props {
  options: Option[]
  chosen: number
  /** It opens under the editor rather than above it. */
  below?: boolean
  onTake: (option: Option) => void
}

/** What can be typed on: commands under their headings, or words behind one. The editor keeps the focus and tells which one is chosen. */
export function CommandMenu({ options, chosen, below, onTake }: Props) {
  const t = useT()
  const chosenOne = options[chosen]
  const groups = [...new Set(options.map(({ group }) => group))]
  return (
    <div
      id="commands"
      role="listbox"
      aria-label={t("composer.commands")}
      tabIndex={0}
      onMouseDown={(event) => event.preventDefault()}
      className={cx(
        "absolute inset-x-0 z-10 overflow-y-auto rounded-lg border border-line bg-overlay p-1 shadow-overlay -outline-offset-2",
        below ? "top-full mt-2 max-h-[min(24rem,40dvh)]" : "bottom-full mb-2 max-h-[min(24rem,60dvh)]",
      )}
    >
      {groups.map((group) => (
        <Group key={group ?? ""} title={group && groups.length > 1 ? t(`group.${group}`) : undefined}>
          {options
            .filter((option) => option.group === group)
            .map((option) => (
              <Line key={option.id} option={option} chosen={option === chosenOne} onTake={() => onTake(option)} />
            ))}
        </Group>
      ))}
    </div>
  )
}

function Group({ title, children }: { title?: string; children: React.ReactNode }) {
  const id = useId()
  if (!title) return <>{children}</>
  return (
    <div role="group" aria-labelledby={id} className="pb-1">
      <div id={id} role="presentation" className="px-3 pt-2 pb-1 text-small text-ink-3">
        {title}
      </div>
      {children}
    </div>
  )
}

function Line({ option, chosen, onTake }: { option: Option; chosen: boolean; onTake: () => void }) {
  return (
    <div
      id={option.id}
      role="option"
      aria-selected={chosen}
      onMouseDown={(event) => {
        event.preventDefault()
        onTake()
      }}
      ref={chosen ? intoView : undefined}
      className={cx("flex cursor-pointer flex-wrap items-baseline gap-x-3 rounded-md px-3 py-1.5 hover:bg-hover md:flex-nowrap", chosen && "bg-hover")}
    >
      <span className="min-w-0 shrink-0 break-words md:w-52">
        <span className="font-medium">{option.name}</span> <span className="text-ink-3">{option.args}</span>
      </span>
      <span className="min-w-0 text-ink-2">{option.help}</span>
    </div>
  )
}

const intoView = (element: HTMLElement | null) => element?.scrollIntoView({ block: "nearest" })
