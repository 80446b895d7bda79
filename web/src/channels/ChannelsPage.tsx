import { useQuery } from "@tanstack/react-query"
import { ArrowLeft, Plus } from "lucide-react"
import { useState } from "react"

import type { ChannelAccount, ChannelKind } from "../api/channels"
import { useT } from "../i18n"
import { channelWords } from "../i18n/channels"
import { useTable } from "../i18n/table"
import { Button } from "../ui/Button"
import { Pending } from "../ui/Pending"
import { AccountForm } from "./AccountForm"
import { AccountRow } from "./AccountRow"
import { channelName } from "./place"
import { channelsQuery, nameOf } from "./queries"
import { Undelivered } from "./Undelivered"

/** The bots on platforms, for administrators: how they stand, what they are configured with, and whether that works. */
export default function ChannelsPage() {
  const t = useT()
  const say = useTable(channelWords)
  const { data, error } = useQuery(channelsQuery)
  const [open, setOpen] = useState<{ kind: ChannelKind; account?: ChannelAccount }>()
  if (!data) return <Pending error={error} />
  if (open) {
    const close = () => setOpen(undefined)
    return (
      <div className="space-y-4">
        <div className="flex items-center gap-3">
          <Button look="quiet" onClick={close}>
            <ArrowLeft size={15} aria-hidden /> {say("back")}
          </Button>
          <h3 className="font-semibold">{open.account ? say("of", { name: nameOf(t, open.account) }) : say("on", { platform: channelName(t, open.kind.name) })}</h3>
        </div>
        <AccountForm kind={open.kind} account={open.account} onDone={close} />
      </div>
    )
  }
  return (
    <div className="space-y-4">
      <p className="text-ink-2">{say("lead")}</p>
      {data.accounts.length === 0 && <p className="text-ink-2">{say("none")}</p>}
      <ul aria-label={say("list")} className="divide-y divide-line">
        {data.accounts.map((account) => {
          const kind = data.kinds.find(({ name }) => name === account.channel)
          return <AccountRow key={`${account.channel} ${account.account}`} account={account} onEdit={kind && (() => setOpen({ kind, account }))} />
        })}
      </ul>
      <section aria-label={say("add")} className="flex flex-wrap items-center gap-2">
        <span className="text-small text-ink-3">{say("add")}</span>
        {data.kinds.map((kind) => (
          <Button key={kind.name} aria-label={say("on", { platform: channelName(t, kind.name) })} onClick={() => setOpen({ kind })}>
            <Plus size={15} aria-hidden /> {channelName(t, kind.name)}
          </Button>
        ))}
      </section>
      <Undelivered />
    </div>
  )
}
