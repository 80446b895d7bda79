import { keepPreviousData, useQuery } from "@tanstack/react-query"
import { useDeferredValue, useState } from "react"

import { readMemory, searchMemory } from "../api/memory"
import { useLanguage, useT } from "../i18n"
import { day } from "../i18n/format"
import { memoryWords } from "../i18n/memory"
import { useTable } from "../i18n/table"
import { DownloadLink } from "../ui/DownloadLink"
import { Note } from "../ui/Note"
import { MemoryItem } from "./MemoryItem"
import { PersonaFile } from "./PersonaFile"

const field = "h-9 rounded-md border border-line bg-canvas px-3"

/** What is remembered of the person: to be read, searched, changed and forgotten. */
export default function MemoryView() {
  const t = useT()
  const say = useTable(memoryWords)
  const language = useLanguage()
  const [agent, setAgent] = useState("main")
  const [typed, setTyped] = useState("")
  const q = useDeferredValue(typed.trim())
  const look = useQuery({ queryKey: ["memory", agent], queryFn: () => readMemory(agent) })
  const found = useQuery({ queryKey: ["memory", agent, q], queryFn: () => searchMemory(agent, q), enabled: q !== "", placeholderData: keepPreviousData })
  const items = (q === "" ? look.data?.items : found.data) ?? []
  const error = look.error ?? found.error
  return (
    <>
      <p className="text-ink-2">{say("lead")}</p>
      <div className="mt-3 flex flex-wrap items-center gap-2">
        <input type="search" aria-label={say("search")} placeholder={say("search")} value={typed} maxLength={200} onChange={(event) => setTyped(event.target.value)} className={`${field} min-w-48 flex-1`} />
        {look.data && look.data.names.length > 1 && (
          <select aria-label={say("agent")} value={agent} onChange={(event) => setAgent(event.target.value)} className={field}>
            {look.data.names.map((name) => (
              <option key={name}>{name}</option>
            ))}
          </select>
        )}
      </div>
      {error && <Note tone="danger" className="mt-3">{error.message}</Note>}
      {q === "" &&
        look.data?.jobs.map((job) =>
          job.state === "done" ? null : (
            <p key={job.id} className="mt-3 text-small text-ink-2">
              {say(job.state === "failed" ? "failed" : "waiting", { date: day(language, job.at), why: job.error ?? "" })}
            </p>
          ),
        )}
      {look.data && !look.data.memorize && <p className="mt-3 text-small text-ink-2">{say("off")}</p>}
      {look.data?.soul && q === "" && <PersonaFile key={agent} agent={agent} />}
      {look.data && items.length === 0 && <p className="mt-4 text-ink-2">{say(q === "" ? "none" : "noneFound")}</p>}
      {!look.data && !error && <p className="mt-4 text-ink-3">{t("app.loading")}</p>}
      <ul aria-label={say("list")} className="mt-3 divide-y divide-line">
        {items.map((item) => (
          <MemoryItem key={item.id} item={item} agent={agent} />
        ))}
      </ul>
      <DownloadLink href={`/api/memory/export?agent=${encodeURIComponent(agent)}`} download className="mt-3 inline-block text-small underline decoration-line-strong underline-offset-3">
        {say("export")}
      </DownloadLink>
    </>
  )
}
