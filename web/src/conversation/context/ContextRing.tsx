import { useLanguage, useT } from "../../i18n"
import { cx } from "../../lib/cx"
import { IconButton } from "../../ui/IconButton"
import { type Fill, type Level, levelOf, ratioOf } from "./fill"
import { fillWords } from "./words"

const tones: Record<Level, string> = { calm: "text-ink-3", full: "text-warn", tight: "text-danger" }

const RADIUS = 7
const ROUND = 2 * Math.PI * RADIUS

interface Props {
  fill: Fill
  open: boolean
  onToggle: () => void
}

/** How full the context is, as a ring that opens the panel about it. */
export function ContextRing({ fill, open, onToggle }: Props) {
  const t = useT()
  const language = useLanguage()
  const level = levelOf(fill)
  const ratio = ratioOf(fill)
  const label = t("context.ring", { fill: fillWords(t, language, fill.used, fill.max) })
  return (
    <IconButton round label={label} aria-pressed={open} data-level={level} onClick={onToggle} className="aria-pressed:bg-hover">
      <svg width="20" height="20" viewBox="0 0 20 20" fill="none" strokeWidth="3" aria-hidden className={cx("-rotate-90", tones[level])}>
        <circle cx="10" cy="10" r={RADIUS} className="stroke-line-strong" />
        <circle cx="10" cy="10" r={RADIUS} stroke="currentColor" strokeDasharray={`${ratio * ROUND} ${ROUND}`} strokeLinecap={ratio > 0.02 ? "round" : "butt"} />
      </svg>
    </IconButton>
  )
}
