import { useT } from "../i18n"
import { LazyMarkdown } from "../markdown/LazyMarkdown"

interface Props {
  text: string
  live: boolean
  gap: boolean
  finish?: string
}

const cuts = { length: "turn.cutLength", content_filter: "turn.cutFilter", stopped: "turn.cutStopped" } as const

/** What the model says, with a sentence when it is not the whole. */
export function AnswerText({ text, live, gap, finish }: Props) {
  const t = useT()
  const cut = finish === undefined ? undefined : cuts[finish as keyof typeof cuts]
  return (
    <div>
      {gap && <p className="mb-2 text-small text-ink-3">{t("turn.gap")}</p>}
      <LazyMarkdown text={text} live={live} />
      {cut && <p className="mt-2 text-small text-ink-3">{t(cut)}</p>}
    </div>
  )
}
