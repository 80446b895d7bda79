import { useInfiniteQuery, useMutation, useQueryClient } from "@tanstack/react-query"
import { ArrowLeft } from "lucide-react"
import { lazy, Suspense, useDeferredValue, useState } from "react"

import { type ConsumerConversation, deleteConsumerConversation, listConsumerConversations } from "../api/services"
import { useLanguage, useT } from "../i18n"
import { moment } from "../i18n/format"
import { type ServicesWord, servicesWords } from "../i18n/services"
import { useTable } from "../i18n/table"
import { Button } from "../ui/Button"
import { Field } from "../ui/Field"
import { Note } from "../ui/Note"
import { conversationsKey, servicesQuery } from "./queries"
import { Transcript } from "./Transcript"

const InboxConversation = lazy(() => import("./inbox/InboxConversation").then(({ InboxConversation }) => ({ default: InboxConversation })))
const Confirm = lazy(() => import("../ui/Confirm"))

/** What consumers said to a service, to be read and deleted. */
export function Conversations({ id }: { id: string }) {
  const t = useT()
  const say = useTable(servicesWords)
  const [words, setWords] = useState("")
  const [open, setOpen] = useState<ConsumerConversation>()
  const q = useDeferredValue(words.trim())
  const { data, error, hasNextPage, fetchNextPage, isFetchingNextPage } = useInfiniteQuery({
    queryKey: [...conversationsKey(id), q],
    queryFn: ({ pageParam }) => listConsumerConversations(id, q, pageParam),
    initialPageParam: "",
    getNextPageParam: ({ conversations, more }) => (more ? conversations.at(-1)?.updated_at : undefined),
  })
  if (open) return <Opened service={id} of={open} onClose={() => setOpen(undefined)} />
  const found = data?.pages.flatMap(({ conversations }) => conversations) ?? []
  return (
    <div className="space-y-4">
      <Field label={say("search")} type="search" value={words} maxLength={200} onChange={({ target }) => setWords(target.value)} />
      {error && <Note tone="danger">{error.message}</Note>}
      {data && found.length === 0 && <p className="text-ink-2">{say(q === "" ? "noConversations" : "noSuchConversations")}</p>}
      <ul aria-label={say("conversations")} className="divide-y divide-line">
        {found.map((one) => (
          <Row key={one.id} service={id} of={one} onOpen={() => setOpen(one)} />
        ))}
      </ul>
      {hasNextPage && (
        <Button look="quiet" disabled={isFetchingNextPage} onClick={() => void fetchNextPage()}>
          {isFetchingNextPage ? t("app.loading") : say("older")}
        </Button>
      )}
    </div>
  )
}

/** A conversation to be read, and on demand to be answered. */
function Opened({ service, of, onClose }: { service: string; of: ConsumerConversation; onClose: () => void }) {
  const t = useT()
  const say = useTable(servicesWords)
  const [answers, setAnswers] = useState(false)
  if (answers) {
    return (
      <Suspense fallback={<p className="text-small text-ink-3">{t("app.loading")}</p>}>
        <InboxConversation of={{ service_id: service, conversation_id: of.id, title: of.title }} back={say("backToReading")} onClose={() => setAnswers(false)} />
      </Suspense>
    )
  }
  return (
    <div className="space-y-4">
      <div className="flex flex-wrap justify-between gap-2">
        <Button look="quiet" className="-ml-3" onClick={onClose}>
          <ArrowLeft size={15} aria-hidden /> {say("allConversations")}
        </Button>
        <Button onClick={() => setAnswers(true)}>{say("answerHere")}</Button>
      </div>
      <Transcript service={service} of={of} />
    </div>
  )
}

function Row({ service, of: one, onOpen }: { service: string; of: ConsumerConversation; onOpen: () => void }) {
  const say = useTable(servicesWords)
  const language = useLanguage()
  const client = useQueryClient()
  const [asking, setAsking] = useState(false)
  const removal = useMutation({
    mutationFn: () => deleteConsumerConversation(service, one.id),
    onSuccess: () => client.invalidateQueries({ queryKey: servicesQuery.queryKey }),
  })
  const name = one.title || say("untitled")
  const facts = [say(`by_${one.source}` as ServicesWord), one.external, say("messages", { count: one.message_count }), moment(language, one.updated_at), one.running && say("running")]
  return (
    <li className="flex flex-wrap items-center gap-x-3 gap-y-2 py-2.5">
      <button type="button" onClick={onOpen} className="min-w-48 flex-1 rounded-md text-left hover:underline">
        <span className="block font-medium break-words">{name}</span>
        <span className="block text-small break-words text-ink-3">{facts.filter(Boolean).join(" · ")}</span>
      </button>
      <Button look="quiet" aria-label={say("deleteLabel", { name })} disabled={removal.isPending} onClick={() => setAsking(true)}>{say("delete")}</Button>
      {removal.error && <Note tone="danger" className="w-full text-small">{removal.error.message}</Note>}
      <Suspense>
        {asking && (
          <Confirm title={say("deleteConversationTitle", { name })} text={say("deleteConversationText")} action={say("delete")} onClose={() => setAsking(false)} onConfirm={() => removal.mutate()} />
        )}
      </Suspense>
    </li>
  )
}
