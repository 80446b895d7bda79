import { useQuery } from "@tanstack/react-query"
import { X } from "lucide-react"

import { readContext } from "../../api/context"
import type { ContextView, Message } from "../../api/types"
import { useLanguage, useT } from "../../i18n"
import { IconButton } from "../../ui/IconButton"
import { Note } from "../../ui/Note"
import { Section } from "../../ui/Section"
import { useConversationContext } from "../shared/context"
import { CompactForm } from "./CompactForm"
import { Compactions } from "./Compactions"
import { FillBar } from "./FillBar"
import { Layers } from "./Layers"
import { ModeChoice } from "./ModeChoice"
import { contextKey } from "./queries"
import { RequestButton } from "./RequestButton"
import { fillWords } from "./words"

interface Props {
  messages: Message[]
  onClose: () => void
}

/** What the model sees of the conversation: how much room it takes, what was done to make it fit, and what can be done. */
export default function ContextPanel({ messages, onClose }: Props) {
  const t = useT()
  const { sessionKey } = useConversationContext()
  const { data, error } = useQuery({ queryKey: contextKey(sessionKey, "panel"), queryFn: () => readContext(sessionKey) })
  return (
    <div className="flex h-full flex-col">
      <div className="flex h-13 shrink-0 items-center gap-1 pr-2 pl-5">
        <h2 className="flex-1 truncate font-semibold">{t("context.title")}</h2>
        <IconButton small label={t("common.close")} onClick={onClose}>
          <X size={17} aria-hidden />
        </IconButton>
      </div>
      <div tabIndex={0} role="group" aria-label={t("context.title")} className="flex-1 space-y-6 overflow-y-auto px-5 pt-2 pb-6 -outline-offset-2">
        {error && <Note tone="danger" className="text-small">{error.message}</Note>}
        {data ? <Parts view={data} messages={messages} /> : !error && <p className="text-small text-ink-3">{t("app.loading")}</p>}
      </div>
    </div>
  )
}

function Parts({ view, messages }: { view: ContextView; messages: Message[] }) {
  const t = useT()
  const language = useLanguage()
  return (
    <>
      <div>
        <p className="mb-2 tabular-nums">{fillWords(t, language, view.used, view.max_context)}</p>
        <FillBar view={view} />
        {view.source === "estimate" && <p className="mt-2 text-small text-ink-3">{t("context.estimate")}</p>}
      </div>
      <RequestButton messages={messages} />
      <Layers view={view} />
      <Section title={t("compaction.all")}>
        <Compactions list={view.compactions ?? []} />
        <CompactForm />
      </Section>
      <ModeChoice mode={view.mode} />
    </>
  )
}
