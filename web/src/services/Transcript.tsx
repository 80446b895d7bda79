import { useInfiniteQuery } from "@tanstack/react-query"
import { Wrench } from "lucide-react"

import { type ConsumerConversation, readConsumerConversation } from "../api/services"
import type { Message, ToolCall } from "../api/types"
import { Arguments } from "../conversation/approval/Arguments"
import { useLanguage, useT } from "../i18n"
import { fullMoment } from "../i18n/format"
import { inboxWords } from "../i18n/inbox"
import { servicesWords } from "../i18n/services"
import { useTable } from "../i18n/table"
import { SharedMessages } from "../share/SharedMessages"
import { Button } from "../ui/Button"
import { Disclosure } from "../ui/Disclosure"
import { Note } from "../ui/Note"
import { conversationsKey } from "./queries"

/** What a consumer and a service said, to be read alone. Both wrote what may be hostile: it is drawn as texts of models are. */
export function Transcript({ service, of }: { service: string; of: ConsumerConversation }) {
  const t = useT()
  const say = useTable(servicesWords)
  const language = useLanguage()
  const { data, error, hasNextPage, fetchNextPage, isFetchingNextPage } = useInfiniteQuery({
    queryKey: [...conversationsKey(service), "read", of.id],
    queryFn: ({ pageParam }) => readConsumerConversation(service, of.id, pageParam),
    initialPageParam: 0,
    getNextPageParam: ({ has_more, messages }) => (has_more ? messages[0]?.id : undefined),
    refetchOnWindowFocus: false, // each reading is noted
  })
  const messages = data?.pages.toReversed().flatMap((page) => page.messages) ?? []
  return (
    <section aria-label={of.title || say("untitled")} className="space-y-6">
      <header>
        <h4 className="font-semibold break-words">{of.title || say("untitled")}</h4>
        <p className="text-small break-words text-ink-3">
          {say("readNoted")} <code className="font-mono">{of.session}</code> · {fullMoment(language, of.created_at)}
        </p>
      </header>
      {error && <Note tone="danger">{error.message}</Note>}
      {!data && !error && <p className="text-small text-ink-3">{t("app.loading")}</p>}
      {hasNextPage && (
        <Button look="quiet" disabled={isFetchingNextPage} onClick={() => void fetchNextPage()}>{say("earlier")}</Button>
      )}
      {data && messages.length === 0 && <p className="text-ink-2">{say("nothingSaid")}</p>}
      {messages.map((message) => (
        <Said key={message.id} message={message} />
      ))}
    </section>
  )
}

function Said({ message }: { message: Message }) {
  const say = useTable(inboxWords)
  const { role, content, tool_calls, created_at, origin, sender } = message
  return (
    <div className="space-y-2">
      {origin === "person" && <p className="text-small font-medium text-ink-2">{say("person", { name: sender ?? "" })}</p>}
      {role === "notice" ? <p className="text-small break-words whitespace-pre-wrap text-ink-2">{content}</p> : <SharedMessages messages={[{ role, text: content, created_at }]} />}
      {tool_calls?.map((call) => <Call key={call.id} call={call} />)}
    </div>
  )
}

function Call({ call: { name, summary, arguments: written, result, is_error } }: { call: ToolCall }) {
  const say = useTable(servicesWords)
  const head = () => (
    <span className="flex min-w-0 items-center gap-2">
      <Wrench size={14} aria-hidden className="shrink-0 text-ink-3" />
      <span className="truncate">
        {name} <span className="text-ink-3">{summary}</span> {is_error && <span className="text-danger">{say("failed")}</span>}
      </span>
    </span>
  )
  return (
    <Disclosure head={head} className="rounded-md border border-line">
      <div className="space-y-3 pr-3">
        <Arguments json={written} />
        {result && <pre tabIndex={0} aria-label={say("result")} className="max-h-72 overflow-auto rounded-md bg-sunken p-3 font-mono text-small break-words whitespace-pre-wrap">{result}</pre>}
      </div>
    </Disclosure>
  )
}
