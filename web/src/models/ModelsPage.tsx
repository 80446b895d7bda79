import { useQuery, useQueryClient } from "@tanstack/react-query"
import { useSearch } from "@tanstack/react-router"
import { ArrowLeft } from "lucide-react"
import { useState } from "react"

import { useAccount } from "../account/account"
import type { Subscription } from "../api/models"
import { meQuery } from "../account/queries"
import { useT } from "../i18n"
import { modelsWords } from "../i18n/models"
import { useTable } from "../i18n/table"
import { Button } from "../ui/Button"
import { Note } from "../ui/Note"
import { toast } from "../ui/toasts"
import { DefaultModelOffer } from "./DefaultModelOffer"
import { DefaultModels } from "./DefaultModels"
import { KeysPart } from "./KeysPart"
import { subscriptionsQuery } from "./queries"
import { SubscriptionForm } from "./SubscriptionForm"
import { SubscriptionList } from "./SubscriptionList"

/** What is filled in: a subscription that is there, or a new one. */
interface Open {
  shared: boolean
  subscription?: Subscription
}

/** Who answers, and the accounts at providers that this is paid from. */
export default function ModelsPage() {
  const t = useT()
  const { me } = useAccount()
  const client = useQueryClient()
  const say = useTable(modelsWords)
  const admin = me.user.role === "admin"
  const { data, error } = useQuery(subscriptionsQuery)
  const { add } = useSearch({ from: "/shell/settings/{-$section}" })
  const [open, setOpen] = useState<Open | undefined>(() => add && { shared: admin && add === "shared" })
  const [added, setAdded] = useState<Subscription>()
  const [closed, setClosed] = useState(false)
  const close = () => {
    setOpen(undefined)
    setClosed(true)
  }
  if (open && data) {
    const before = me.demo && open.subscription === undefined
    const done = (saved: Subscription) => {
      close()
      const now = client.getQueryData(meQuery.queryKey)
      if (before && now?.demo && !saved.shared && modelOf(saved)) setAdded(saved)
      else toast(before && now?.demo === false ? say("answersNow", { model: now.model }) : say("saved", { name: saved.name }))
    }
    return (
      <div className="space-y-4">
        <div className="flex flex-wrap items-center gap-3">
          <Button look="quiet" onClick={close}>
            <ArrowLeft size={15} aria-hidden /> {say("back")}
          </Button>
          <h3 ref={takeFocus} tabIndex={-1} className="font-semibold outline-none">
            {open.subscription ? say("changeOf", { name: open.subscription.name }) : say(open.shared ? "addShared" : "addOwn")}
          </h3>
        </div>
        <SubscriptionForm shared={open.shared} subscription={open.subscription} all={data} onSaved={done} onCancel={close} />
      </div>
    )
  }
  const model = added && modelOf(added)
  const listOf = (shared: boolean) => (
    <SubscriptionList
      shared={shared}
      subscriptions={data?.filter((subscription) => subscription.shared === shared) ?? []}
      onAdd={() => setOpen({ shared })}
      onEdit={(subscription) => setOpen({ shared, subscription })}
    />
  )
  return (
    <div ref={closed ? takeView : undefined} tabIndex={-1} className="space-y-6 outline-none">
      {added && model && me.demo && <DefaultModelOffer subscription={added} model={model} onDone={() => setAdded(undefined)} />}
      <DefaultModels />
      {error && !data && <Note tone="danger">{error.message}</Note>}
      {!data && !error && <p className="text-small text-ink-3">{t("app.loading")}</p>}
      {data && admin && listOf(true)}
      {data && listOf(false)}
      <KeysPart />
    </div>
  )
}

/** The first model of a subscription that can answer. */
const modelOf = ({ enabled, models }: Subscription): string | undefined => (enabled ? models.find(({ disabled }) => !disabled)?.id : undefined)

/** What takes the place of the pressed button begins at its heading. */
const takeFocus = (heading: HTMLElement | null) => heading?.focus()

/** The page after a form begins at its top, not where the form was scrolled to. */
const takeView = (page: HTMLElement | null) => {
  page?.focus({ preventScroll: true })
  page?.closest("[role=group]")?.scrollTo(0, 0)
}
