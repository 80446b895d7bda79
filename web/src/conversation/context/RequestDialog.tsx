import { useQuery } from "@tanstack/react-query"
import { BadgeCheck, ChevronLeft, ChevronRight, TriangleAlert } from "lucide-react"
import { useState } from "react"

import { readRequest } from "../../api/context"
import type { SentRequest } from "../../api/types"
import { useLanguage, useT } from "../../i18n"
import { count } from "../../i18n/format"
import { cx } from "../../lib/cx"
import { IconButton } from "../../ui/IconButton"
import { Modal } from "../../ui/Modal"
import { Note } from "../../ui/Note"
import { useConversationContext } from "../shared/context"
import { RequestParts } from "./RequestParts"
import type { StepPlace } from "./steps"

interface Props {
  steps: StepPlace[]
  /** Place in `steps` of the one that is shown first. */
  first: number
  onClose: () => void
}

/** What the model saw in a step, all of it and in order; one can walk through the steps. */
export default function RequestDialog({ steps, first, onClose }: Props) {
  const t = useT()
  const [at, setAt] = useState(first)
  const place = steps[at]
  return (
    <Modal wide onClose={onClose} title={t("request.title")}>
      <div className="mb-3 flex items-center gap-1">
        <p className="flex-1 text-small text-ink-2 tabular-nums">{t("request.step", { n: at + 1, count: steps.length })}</p>
        <IconButton small label={t("request.previous")} disabled={at <= 0} onClick={() => setAt(at - 1)}>
          <ChevronLeft size={17} aria-hidden />
        </IconButton>
        <IconButton small label={t("request.next")} disabled={at >= steps.length - 1} onClick={() => setAt(at + 1)}>
          <ChevronRight size={17} aria-hidden />
        </IconButton>
      </div>
      {place && <Request key={`${place.turn} ${place.step}`} place={place} />}
    </Modal>
  )
}

function Request({ place: { turn, step } }: { place: StepPlace }) {
  const t = useT()
  const { sessionKey } = useConversationContext()
  const { data, error } = useQuery({ queryKey: ["request", sessionKey, turn, step], queryFn: () => readRequest(sessionKey, turn, step), staleTime: Infinity })
  if (error) return <Note tone="danger">{error.message}</Note>
  if (!data) return <p className="text-small text-ink-3">{t("app.loading")}</p>
  return (
    <>
      <Exactness request={data} />
      <RequestParts request={data} />
    </>
  )
}

function Exactness({ request }: { request: SentRequest }) {
  const t = useT()
  const language = useLanguage()
  const { exact, hash, prompt_tokens: told, estimated_tokens: estimated } = request
  const Icon = exact ? BadgeCheck : TriangleAlert
  const size = told > 0 ? t("request.told", { tokens: count(language, told) }) : t("request.estimated", { tokens: count(language, estimated) })
  return (
    <div className={cx("mb-4 flex gap-2.5 rounded-md px-3.5 py-2.5 text-small", exact ? "bg-accent-soft" : "bg-warn-soft")}>
      <Icon size={16} aria-hidden className={cx("mt-0.5 shrink-0", exact ? "text-accent" : "text-warn")} />
      <div className="min-w-0">
        <p>{t(exact ? "request.exact" : "request.inexact")}</p>
        <p className="text-ink-2">
          {size}
          {hash && <span className="font-mono text-[0.75rem] wrap-anywhere"> · {hash.slice(0, 16)}</span>}
        </p>
      </div>
    </div>
  )
}
