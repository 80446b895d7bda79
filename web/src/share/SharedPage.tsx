import { useQuery } from "@tanstack/react-query"
import { useParams } from "@tanstack/react-router"
import { useEffect } from "react"

import { asProblem } from "../api/problem"
import { readShared, type Shared } from "../api/shares"
import { useLanguage, useT } from "../i18n"
import { fullMoment } from "../i18n/format"
import { shareWords } from "../i18n/shares"
import { useTable } from "../i18n/table"
import { Button } from "../ui/Button"
import { Logo } from "../ui/Logo"
import { LoadingPage } from "../ui/StatusPages"
import { SharedMessages } from "./SharedMessages"

/** A conversation as a link shows it, to be read alone. */
export default function SharedPage() {
  const { token = "" } = useParams({ strict: false })
  const { data, error, refetch } = useQuery({ queryKey: ["shared", token], queryFn: () => readShared(token), staleTime: Infinity, retry: false })
  if (data) return <Conversation shared={data} />
  if (!error) return <LoadingPage />
  return <Nothing reason={asProblem(error).status === 404 ? undefined : error.message} onAgain={() => void refetch()} />
}

function Conversation({ shared }: { shared: Shared }) {
  const say = useTable(shareWords)
  const t = useT()
  const language = useLanguage()
  const title = shared.title || firstWords(shared) || say("untitled")
  useEffect(() => {
    document.title = `${title} · ${t("app.name")}`
  }, [title, t])
  return (
    <div className="h-full overflow-x-hidden overflow-y-auto">
      <main className="mx-auto max-w-column px-4 pt-8 pb-16 md:pt-14 lg:px-0">
        <header className="mb-10 border-b border-line pb-6">
          <Logo size={28} />
          <h1 className="mt-5 text-title font-semibold tracking-tight text-balance break-words">{title}</h1>
          <p className="mt-1.5 text-small text-ink-3">
            <time dateTime={shared.made_at}>{say("asOf", { date: fullMoment(language, shared.made_at) })}</time>
          </p>
        </header>
        {shared.more && <p className="mb-8 text-center text-small text-ink-3">{say("more")}</p>}
        {shared.messages.length === 0 ? <p className="text-ink-2">{say("empty")}</p> : <SharedMessages messages={shared.messages} />}
      </main>
    </div>
  )
}

/** What a conversation without a title is called: how its first question begins. */
function firstWords({ messages }: Shared): string {
  const line = messages.find(({ role, text }) => role === "user" && text.trim() !== "")?.text.trim().split("\n")[0] ?? ""
  const letters = Array.from(line)
  return letters.length > 80 ? `${letters.slice(0, 79).join("")}…` : line
}

function Nothing({ reason, onAgain }: { reason?: string; onAgain: () => void }) {
  const say = useTable(shareWords)
  return (
    <main className="grid h-full place-content-center justify-items-center gap-3 p-6 text-center">
      <Logo size={36} />
      <h1 className="mt-2 font-semibold">{say("gone")}</h1>
      <p role="alert" className="max-w-96 text-ink-2">{reason ?? say("goneText")}</p>
      {reason && <Button onClick={onAgain}>{say("again")}</Button>}
    </main>
  )
}
