import { useQuery } from "@tanstack/react-query"
import { useParams } from "@tanstack/react-router"
import { useEffect } from "react"

import { openPanel } from "../api/panels"
import { Header } from "../conversation/Header"
import { useLanguage, useT } from "../i18n"
import { panelsWords } from "../i18n/panels"
import { useTable } from "../i18n/table"
import { Button } from "../ui/Button"
import { Note } from "../ui/Note"
import { Frame } from "./Frame"
import { panelsQuery } from "./queries"

/** A panel of a plugin, in the place of a conversation. */
export default function PanelPage() {
  const t = useT()
  const say = useTable(panelsWords)
  const language = useLanguage()
  const { plugin, widget } = useParams({ from: "/shell/panels/$plugin/$widget" })
  const { data: panels, error: unlisted } = useQuery(panelsQuery)
  const panel = panels?.find((p) => p.plugin === plugin && p.widget === widget)
  const { data: url, error: unopened, refetch, dataUpdatedAt } = useQuery({
    queryKey: ["panel", plugin, widget], queryFn: () => openPanel(plugin, widget), enabled: panel !== undefined, staleTime: Infinity, gcTime: 0,
  })
  const title = panel?.title[language] || panel?.title.en || widget
  useEffect(() => {
    document.title = `${title} · ${t("app.name")}`
  }, [title, t])
  const error = unlisted ?? unopened
  return (
    <main id="main" tabIndex={-1} className="flex h-full min-w-0 flex-1 flex-col outline-none">
      <Header title={title} />
      <div className="min-h-0 flex-1 overflow-y-auto border-t border-line">
        <div className="mx-auto max-w-[56rem] px-2 py-3 md:px-6">
          {panels && !panel && <Note tone="plain">{say("gone")}</Note>}
          {panel && error && (
            <div className="space-y-3">
              <Note tone="danger">{say("broken", { why: error.message })}</Note>
              <Button onClick={() => void refetch()}>{say("retry")}</Button>
            </div>
          )}
          {!panels && error && <Note tone="danger">{error.message}</Note>}
          {panel && url && <Frame key={`${url} ${dataUpdatedAt}`} url={url} plugin={plugin} widget={widget} title={title} />}
          {panel && <p className="mt-2 px-2 text-small text-ink-3">{say("by", { plugin })}</p>}
        </div>
      </div>
    </main>
  )
}
