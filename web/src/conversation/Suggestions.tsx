import { FilePlus, type LucideIcon, SquareTerminal, Timer } from "lucide-react"

import { type Key, useT } from "../i18n"

const suggestions: { icon: LucideIcon; text: Extract<Key, `suggestion.${string}`> }[] = [
  { icon: SquareTerminal, text: "suggestion.run" },
  { icon: FilePlus, text: "suggestion.create" },
  { icon: Timer, text: "suggestion.count" },
]

/** A few first messages. Pressing one writes it into the box, where it can be changed. */
export function Suggestions({ onTake }: { onTake: (text: string) => void }) {
  const t = useT()
  return (
    <ul aria-label={t("welcome.try")} className="mt-4 space-y-0.5">
      {suggestions.map(({ icon: Icon, text }) => (
        <li key={text}>
          <button
            type="button"
            onClick={() => onTake(t(text))}
            className="flex min-h-9 w-full items-center gap-3 rounded-md px-4 text-left text-ink-2 transition-colors hover:bg-hover hover:text-ink"
          >
            <Icon size={16} aria-hidden className="shrink-0 text-ink-3" />
            {t(text)}
          </button>
        </li>
      ))}
    </ul>
  )
}
