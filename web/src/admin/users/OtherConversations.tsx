import { useInfiniteQuery, useMutation, useQueryClient } from "@tanstack/react-query"
import { lazy, Suspense, useState } from "react"

import { useAccount } from "../../account/account"
import { deleteSession } from "../../api/calls"
import { inspectSessions, type OtherSession } from "../../api/others"
import { channelName } from "../../channels/place"
import { useLanguage, useT } from "../../i18n"
import { moment } from "../../i18n/format"
import { othersWords } from "../../i18n/others"
import { useTable } from "../../i18n/table"
import { Button } from "../../ui/Button"
import { Note } from "../../ui/Note"
import { Section } from "../../ui/Section"
import { nameOf, ofOthers, othersKey } from "./other-conversations"

const Confirm = lazy(() => import("../../ui/Confirm"))

/** The conversations of groups, of people on platforms and of other users, which an administrator may delete. */
export function OtherConversations() {
  const t = useT()
  const say = useTable(othersWords)
  const { me } = useAccount()
  const { data, error, hasNextPage, isFetchingNextPage, fetchNextPage } = useInfiniteQuery({
    queryKey: othersKey,
    queryFn: ({ pageParam }) => inspectSessions(pageParam),
    initialPageParam: "",
    getNextPageParam: ({ next }) => next || undefined,
  })
  const sessions = ofOthers(data?.pages.flatMap(({ sessions }) => sessions ?? []) ?? [], me.user.name)
  return (
    <Section title={say("title")}>
      {error && <Note tone="danger">{error.message}</Note>}
      {data && sessions.length === 0 && !hasNextPage && <p className="py-2 text-ink-2">{say("none")}</p>}
      <ul className="divide-y divide-line">
        {sessions.map((session) => (
          <Row key={session.key} session={session} />
        ))}
      </ul>
      {hasNextPage && (
        <Button look="quiet" disabled={isFetchingNextPage} onClick={() => void fetchNextPage()}>
          {isFetchingNextPage ? t("app.loading") : say("older")}
        </Button>
      )}
    </Section>
  )
}

function Row({ session }: { session: OtherSession }) {
  const t = useT()
  const say = useTable(othersWords)
  const language = useLanguage()
  const client = useQueryClient()
  const [asking, setAsking] = useState(false)
  const { mutate, isPending, error } = useMutation({
    mutationFn: () => deleteSession(session.key),
    onSuccess: () => client.invalidateQueries({ queryKey: othersKey }),
  })
  const name = nameOf(session)
  const facts = { user: session.user, channel: channelName(t, session.channel), messages: session.messages, date: moment(language, session.updated_at) }
  return (
    <li className="flex flex-wrap items-center gap-x-3 gap-y-2 py-2.5">
      <span className="min-w-48 flex-1">
        <span className="block font-medium break-words">{name}</span>
        <span className="block text-small break-words text-ink-3">{say("facts", facts)}</span>
      </span>
      <Button look="quiet" aria-label={say("removeLabel", { name })} disabled={isPending} onClick={() => setAsking(true)}>
        {say("remove")}
      </Button>
      {error && <Note tone="danger" className="w-full text-small">{error.message}</Note>}
      <Suspense>
        {asking && (
          <Confirm title={say("removeTitle", { name })} text={say("removeText")} action={say("removeConfirm")} onClose={() => setAsking(false)} onConfirm={() => mutate()} />
        )}
      </Suspense>
    </li>
  )
}
