import type { ContextView } from "../../api/types"
import { useLanguage, useT } from "../../i18n"
import { tokens } from "../../i18n/format"
import { cx } from "../../lib/cx"
import { type Share, sharesOf, type Taker } from "./shares"

const colours: Record<Taker, string> = {
  system: "bg-part-1",
  tools: "bg-part-2",
  user: "bg-part-3",
  assistant: "bg-part-4",
  results: "bg-part-5",
}

/** What takes how much of the context window, on one bar with the marks where the layers begin to work. */
export function FillBar({ view }: { view: ContextView }) {
  const shares = sharesOf(view)
  const width = (n: number) => `${(100 * n) / Math.max(1, view.max_context)}%`
  const marks = [view.mask_at, view.compress_at].filter((at) => at > 0 && at < view.max_context)
  return (
    <>
      <div aria-hidden className="relative flex h-3 overflow-hidden rounded-full bg-hover">
        {shares.map(({ taker, tokens: n }) => (
          <span key={taker} className={cx("h-full min-w-px", colours[taker])} style={{ width: width(n) }} />
        ))}
        {marks.map((at) => (
          <span key={at} className="absolute inset-y-0 w-px bg-ink-3" style={{ left: width(at) }} />
        ))}
      </div>
      <ul className="mt-3 space-y-1 text-small">
        {shares.map((share) => (
          <Row key={share.taker} share={share} />
        ))}
      </ul>
      <Marks view={view} />
    </>
  )
}

function Row({ share: { taker, tokens: n, count } }: { share: Share }) {
  const t = useT()
  const language = useLanguage()
  return (
    <li className="flex items-baseline gap-2.5">
      <span aria-hidden className={cx("relative top-px size-2.5 shrink-0 rounded-sm", colours[taker])} />
      <span className="min-w-0 flex-1">
        {t(`context.part_${taker}`)}
        {count !== undefined && <span className="text-ink-3"> · {count}</span>}
      </span>
      <span className="text-ink-2 tabular-nums">{tokens(language, n)}</span>
    </li>
  )
}

/** From when on the layers work, in words. */
function Marks({ view }: { view: ContextView }) {
  const t = useT()
  const language = useLanguage()
  if (view.mode === "none" || view.compress_at <= 0) return null
  const at = { mask: tokens(language, view.mask_at), compress: tokens(language, view.compress_at) }
  return <p className="mt-3 text-small text-ink-3">{t("context.marks", at)}</p>
}
