import { Plus } from "lucide-react"

import type { Subscription } from "../api/models"
import { modelsWords } from "../i18n/models"
import { useTable } from "../i18n/table"
import { Button } from "../ui/Button"
import { Section } from "../ui/Section"
import { SubscriptionRow } from "./SubscriptionRow"

interface Props {
  /** They are the installation's, for everybody. */
  shared: boolean
  subscriptions: Subscription[]
  onAdd: () => void
  onEdit: (subscription: Subscription) => void
}

/** The accounts at providers of one person, or of the installation. */
export function SubscriptionList({ shared, subscriptions, onAdd, onEdit }: Props) {
  const say = useTable(modelsWords)
  const title = say(shared ? "shared" : "own")
  return (
    <Section title={title}>
      {!shared && <p className="text-ink-2">{say("ownLead")}</p>}
      {subscriptions.length === 0 ? (
        <p className="py-2 text-ink-2">{say(shared ? "noneShared" : "noneOwn")}</p>
      ) : (
        <ul aria-label={title} className="divide-y divide-line">
          {subscriptions.map((subscription) => (
            <SubscriptionRow key={subscription.id} subscription={subscription} onEdit={() => onEdit(subscription)} />
          ))}
        </ul>
      )}
      <Button className="mt-1" aria-label={say(shared ? "addShared" : "addOwn")} onClick={onAdd}>
        <Plus size={15} aria-hidden /> {say("add")}
      </Button>
    </Section>
  )
}
