import { useState } from "react"

import { useT } from "../../i18n"
import type { Source } from "./sources"

/** How many stand there before somebody asks for all. */
const first = 6

/** The pages that an answer comes from. */
export default function Sources({ sources }: { sources: Source[] }) {
  const t = useT()
  const [all, setAll] = useState(false)
  const shown = all ? sources : sources.slice(0, first)
  return (
    <ul aria-label={t("turn.sources")} className="flex flex-wrap gap-1.5 text-small">
      {shown.map(({ url, title }) => (
        <li key={url} className="max-w-full">
          <a href={url} target="_blank" rel="noreferrer" data-tip={url} className={chip}>
            <span className="shrink-0 text-ink-3">{new URL(url).hostname.replace(/^www\./, "")}</span>
            {title && <span className="truncate">{title}</span>}
          </a>
        </li>
      ))}
      {shown.length < sources.length && (
        <li>
          <button type="button" className={chip} onClick={() => setAll(true)}>
            {t("turn.moreSources", { n: sources.length - shown.length })}
          </button>
        </li>
      )}
    </ul>
  )
}

const chip = "inline-flex max-w-72 gap-1.5 rounded-full border border-line px-2.5 py-1 text-ink-2 hover:border-line-strong hover:text-ink"
