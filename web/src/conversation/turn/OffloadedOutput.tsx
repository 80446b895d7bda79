import { useQuery } from "@tanstack/react-query"
import { Download } from "lucide-react"
import { useState } from "react"

import { readResult, resultAddress } from "../../api/context"
import type { ToolCall } from "../../api/types"
import { useLanguage, useT } from "../../i18n"
import { bytes } from "../../i18n/format"
import { byteLength } from "../../lib/bytes"
import { Button, buttonLook } from "../../ui/Button"
import { DownloadLink } from "../../ui/DownloadLink"
import { Note } from "../../ui/Note"
import { LongText } from "../../ui/text/LongText"
import { OutputView } from "../../ui/text/OutputView"
import { useConversationContext } from "../shared/context"

/** A result that was too large for the conversation: the summary that the model read, and the way to the whole. */
export default function OffloadedOutput({ call }: { call: ToolCall }) {
  const t = useT()
  const language = useLanguage()
  const { sessionKey } = useConversationContext()
  const [whole, setWhole] = useState(false)
  const { data, error, isFetching } = useQuery({
    queryKey: ["result", sessionKey, call.id],
    queryFn: () => readResult(sessionKey, call.id),
    enabled: whole,
    staleTime: Infinity,
    gcTime: 60_000, // these are large
  })
  const summary = call.result ?? ""
  const size = data === undefined ? sizeIn(summary) : bytes(language, byteLength(data))
  return (
    <div className="space-y-2">
      <p className="text-small text-ink-3">{t(whole && data !== undefined ? "offload.whole" : "offload.lead")}</p>
      {whole && data !== undefined ? (
        <LongText text={data} label={t("tools.output")} empty={t("tools.noOutput")} />
      ) : (
        <OutputView text={summary} label={t("offload.summary")} empty={t("tools.noOutput")} follow={false} failed={call.is_error === true} />
      )}
      <div className="flex flex-wrap gap-2">
        <Button aria-disabled={isFetching} onClick={() => setWhole(!whole)}>
          {isFetching ? t("offload.reading") : whole && data !== undefined ? t("offload.showSummary") : size ? t("offload.showAllOf", { size }) : t("offload.showAll")}
        </Button>
        <DownloadLink href={resultAddress(sessionKey, call.id)} download={`${call.name}-${call.offload}.txt`} className={buttonLook("plain")}>
          <Download size={15} aria-hidden />
          {t("offload.download")}
        </DownloadLink>
      </div>
      {error && <Note tone="danger" className="text-small">{error.message}</Note>}
    </div>
  )
}

/** The size that a summary names in its first line, if it does. */
function sizeIn(summary: string): string | undefined {
  return /\b\d[\d.,]* ?(?:[kKMG]i?)?B\b/.exec(summary.split("\n", 1)[0] ?? "")?.[0]
}
