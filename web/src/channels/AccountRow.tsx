import { useMutation, useQueryClient } from "@tanstack/react-query"
import { lazy, Suspense, useState } from "react"

import { type ChannelAccount, deleteChannel, enableChannel } from "../api/channels"
import { type Language, type Translate, useLanguage, useT } from "../i18n"
import { channelWords, type ChannelWord } from "../i18n/channels"
import { moment, wholeDuration } from "../i18n/format"
import { type Say, useTable } from "../i18n/table"
import { cx } from "../lib/cx"
import { Button } from "../ui/Button"
import { CopyButton } from "../ui/CopyButton"
import { Note } from "../ui/Note"
import { AccountTest } from "./AccountTest"
import { channelsQuery, nameOf } from "./queries"

const Confirm = lazy(() => import("../ui/Confirm"))

const dots: Record<ChannelAccount["state"], string> = { connected: "bg-accent", connecting: "bg-warn", faulty: "bg-danger", off: "bg-line-strong" }
const tones: Record<ChannelAccount["state"], string> = { connected: "text-accent", connecting: "text-warn", faulty: "text-danger", off: "text-ink-3" }

interface Props {
  account: ChannelAccount
  /** Not there where this server does not know the platform. */
  onEdit?: () => void
}

/** One bot: how it stands, and what can be done with it. */
export function AccountRow({ account, onEdit }: Props) {
  const t = useT()
  const language = useLanguage()
  const say = useTable(channelWords)
  const [testing, setTesting] = useState(false)
  const name = nameOf(t, account)
  return (
    <li aria-label={name} className="space-y-2 py-3">
      <div className="flex flex-wrap items-start gap-x-3 gap-y-2">
        <div className="min-w-48 flex-1">
          <p className="flex flex-wrap items-baseline gap-x-2">
            <span className="font-medium break-all">{name}</span>
            <span className={cx("flex items-center gap-1.5 text-small", tones[account.state])}>
              <span aria-hidden className={cx("size-1.5 rounded-full", dots[account.state])} />
              {say(account.state, { date: account.connected_at ? moment(language, account.connected_at) : "" })}
            </span>
          </p>
          <p className="text-small break-words text-ink-3">{factsOf(t, say, language, account)}</p>
        </div>
        <Actions account={account} name={name} testing={testing} onTest={() => setTesting(!testing)} onEdit={onEdit} />
      </div>
      {account.state === "faulty" && account.error && <p className="text-small break-words text-danger">{account.error}</p>}
      {account.held && <p className="text-small break-words text-warn">{say("held", { reason: account.held })}</p>}
      {account.environment.length > 0 && <p className="text-small break-words text-ink-2">{say("environment", { names: account.environment.join(", ") })}</p>}
      {account.address && <Address text={account.address} />}
      {testing && <AccountTest account={account} name={name} />}
    </li>
  )
}

function factsOf(t: Translate, say: Say<ChannelWord>, language: Language, account: ChannelAccount): string {
  const facts = [account.event_at ? say("event", { date: moment(language, account.event_at) }) : say("noEvent")]
  if (account.event_at && account.lag_ms !== undefined) facts.push(say("lag", { ms: account.lag_ms }))
  if (account.waiting > 0) facts.push(say("waiting", { count: account.waiting, age: wholeDuration(t, account.oldest_s ?? 0) }))
  if (account.signs_budget) facts.push(say("signs", { shown: Math.min(account.signs ?? 0, account.signs_budget), most: account.signs_budget }))
  if (account.changed_by) facts.push(say("changed", { who: account.changed_by, date: moment(language, account.changed_at) }))
  return facts.join(" · ")
}

function Address({ text }: { text: string }) {
  const say = useTable(channelWords)
  return (
    <div className="text-small text-ink-2">
      {say("address")}
      <p className="mt-1 flex items-center gap-1 rounded-md bg-sunken py-1 pr-1 pl-3">
        <code className="min-w-0 flex-1 font-mono break-all text-ink">{text}</code>
        <CopyButton text={text} label={say("copy")} />
      </p>
    </div>
  )
}

interface ActionsProps extends Props {
  name: string
  testing: boolean
  onTest: () => void
}

function Actions({ account, name, testing, onTest, onEdit }: ActionsProps) {
  const say = useTable(channelWords)
  const client = useQueryClient()
  const [asking, setAsking] = useState(false)
  const again = () => client.invalidateQueries(channelsQuery)
  const switching = useMutation({ mutationFn: () => enableChannel(account, !account.enabled), onSuccess: again })
  const removal = useMutation({ mutationFn: () => deleteChannel(account), onSuccess: again })
  const problem = switching.error ?? removal.error
  const locked = account.environment.length > 0
  const turn = account.enabled ? "disable" : "enable"
  return (
    <div className="flex flex-wrap gap-1">
      <Button aria-label={say("testLabel", { name })} aria-expanded={testing} onClick={onTest}>
        {say("test")}
      </Button>
      {!locked && (
        <>
          {onEdit && (
            <Button look="quiet" aria-label={say("editLabel", { name })} onClick={onEdit}>
              {say("edit")}
            </Button>
          )}
          <Button look="quiet" aria-label={say(`${turn}Label`, { name })} disabled={switching.isPending} onClick={() => switching.mutate()}>
            {say(turn)}
          </Button>
          <Button look="quiet" aria-label={say("removeLabel", { name })} disabled={removal.isPending} onClick={() => setAsking(true)}>
            {say("remove")}
          </Button>
        </>
      )}
      {problem && <Note tone="danger" className="w-full text-small">{problem.message}</Note>}
      <Suspense>
        {asking && (
          <Confirm title={say("removeTitle", { name })} text={say("removeText")} action={say("remove")} onClose={() => setAsking(false)} onConfirm={() => removal.mutate()} />
        )}
      </Suspense>
    </div>
  )
}
