import { useInfiniteQuery } from "@tanstack/react-query"
import { useState } from "react"

import type { Item, Status } from "../../api/inbox"
import { useLanguage, useT } from "../../i18n"
import { moment } from "../../i18n/format"
import { inboxWords } from "../../i18n/inbox"
import { useTable } from "../../i18n/table"
import { Button } from "../../ui/Button"
import { Note } from "../../ui/Note"
import { Section } from "../../ui/Section"
import { Select } from "../../ui/Select"
import { type Conversation, InboxConversation } from "./InboxConversation"
import { inboxQuery } from "./queries"

interface Open {
  of: Conversation
  item?: Item
}

const statuses: (Status | "")[] = ["unread", "read", "handled", ""]

/** What consumers of services ask a person, and the conversations in which a person answers. */
export default function InboxPage() {
  const t = useT()
  const say = useTable(inboxWords)
  const [status, setStatus] = useState<Status | "">("unread")
  const [open, setOpen] = useState<Open>()
  const { data, error, hasNextPage, fetchNextPage, isFetchingNextPage } = useInfiniteQuery(inboxQuery(status))
  if (open) return <InboxConversation key={open.item?.id ?? open.of.conversation_id} {...open} back={say("back")} onClose={() => setOpen(undefined)} />
  const items = data?.pages.flatMap((page) => page.items) ?? []
  const taken = data?.pages[0]?.taken ?? []
  return (
    <div className="space-y-4">
      <p className="text-ink-2">{say("lead")}</p>
      <Select label={say("show")} value={status} options={statuses} say={(option) => say(option === "" ? "all" : option)} onChange={setStatus} />
      {error && <Note tone="danger">{error.message}</Note>}
      {!data && !error && <p className="text-small text-ink-3">{t("app.loading")}</p>}
      {data && items.length === 0 && <p className="text-ink-2">{say("none")}</p>}
      {items.length > 0 && (
        <ul aria-label={say("list")} className="divide-y divide-line">
          {items.map((item) => (
            <Row key={item.id} item={item} onOpen={() => setOpen({ of: item, item })} />
          ))}
        </ul>
      )}
      {hasNextPage && (
        <Button look="quiet" disabled={isFetchingNextPage} onClick={() => void fetchNextPage()}>
          {isFetchingNextPage ? t("app.loading") : say("older")}
        </Button>
      )}
      {taken.length > 0 && (
        <Section title={say("taken")}>
          <ul className="divide-y divide-line">
            {taken.map((one) => (
              <li key={one.session}>
                <Opener title={one.title || say("untitled")} onOpen={() => setOpen({ of: one })}>
                  {say("takenBy", { name: one.taken_by })} · {one.service_name}
                  {one.waiting && <span className="text-accent"> · {say("waits")}</span>}
                </Opener>
              </li>
            ))}
          </ul>
        </Section>
      )}
    </div>
  )
}

function Row({ item, onOpen }: { item: Item; onOpen: () => void }) {
  const say = useTable(inboxWords)
  const language = useLanguage()
  return (
    <li>
      <Opener title={item.title || say("untitled")} strong={item.status === "unread"} text={item.message} onOpen={onOpen}>
        {say("facts", { service: item.service_name, date: moment(language, item.created_at) })} · {say(item.status)}
        {item.taken_by && ` · ${say("takenBy", { name: item.taken_by })}`}
      </Opener>
    </li>
  )
}

interface OpenerProps {
  title: string
  strong?: boolean
  /** What a stranger wrote: text alone. */
  text?: string
  children: React.ReactNode
  onOpen: () => void
}

function Opener({ title, strong, text, children, onOpen }: OpenerProps) {
  return (
    <button type="button" onClick={onOpen} className="block min-h-11 w-full rounded-md px-2 py-2.5 text-left hover:bg-hover">
      <span className={strong ? "block font-semibold break-words" : "block break-words"}>{title}</span>
      {text && <span className="line-clamp-2 break-words text-ink-2">{text}</span>}
      <span className="block text-small break-words text-ink-3">{children}</span>
    </button>
  )
}
