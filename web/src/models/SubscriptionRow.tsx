import { useMutation } from "@tanstack/react-query"
import { lazy, Suspense, useState } from "react"

import { deleteSubscription, type Subscription } from "../api/models"
import { modelsWords } from "../i18n/models"
import { useTable } from "../i18n/table"
import { Button } from "../ui/Button"
import { Note } from "../ui/Note"
import { useRefresh } from "./queries"
import { hostOf } from "./services"

const Confirm = lazy(() => import("../ui/Confirm"))

/** One account at a provider: where it is, and what can be done with it. */
export function SubscriptionRow({ subscription, onEdit }: { subscription: Subscription; onEdit: () => void }) {
  const say = useTable(modelsWords)
  const refresh = useRefresh()
  const [asking, setAsking] = useState(false)
  const removal = useMutation({ mutationFn: () => deleteSubscription(subscription.id), onSuccess: refresh })
  const { name, provider, base_url, key_hint, models, enabled } = subscription
  const facts = [
    base_url === "" ? say(`service_${provider}`) : hostOf(base_url),
    key_hint ? say("keyIs", { hint: key_hint }) : say("noKey"),
    say("modelCount", { count: models.filter(({ disabled }) => !disabled).length }),
  ]
  return (
    <li aria-label={name} className="flex flex-wrap items-center gap-x-3 gap-y-2 py-2.5">
      <span className="min-w-48 flex-1">
        <span className="block font-medium break-all">
          {name} {!enabled && <span className="font-normal text-danger">{say("off")}</span>}
        </span>
        <span className="block text-small break-words text-ink-3">{facts.join(" · ")}</span>
      </span>
      <span className="flex gap-1">
        <Button look="quiet" aria-label={say("editLabel", { name })} onClick={onEdit}>
          {say("edit")}
        </Button>
        <Button look="quiet" aria-label={say("removeLabel", { name })} disabled={removal.isPending} onClick={() => setAsking(true)}>
          {say("remove")}
        </Button>
      </span>
      {removal.error && <Note tone="danger" className="w-full text-small">{removal.error.message}</Note>}
      <Suspense>
        {asking && (
          <Confirm title={say("removeTitle", { name })} text={say("removeText")} action={say("remove")} onClose={() => setAsking(false)} onConfirm={() => removal.mutate()} />
        )}
      </Suspense>
    </li>
  )
}
