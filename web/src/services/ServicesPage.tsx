import { useQuery } from "@tanstack/react-query"
import { ArrowLeft, Plus } from "lucide-react"
import { useState } from "react"

import { useAccount } from "../account/account"
import type { Service } from "../api/services"
import { useLanguage } from "../i18n"
import { moment } from "../i18n/format"
import { servicesWords } from "../i18n/services"
import { useTable } from "../i18n/table"
import { Button } from "../ui/Button"
import { Pending } from "../ui/Pending"
import { nothing } from "./draft"
import { servicesQuery } from "./queries"
import { ServiceForm } from "./ServiceForm"
import { ServicePart } from "./ServicePart"
import { ServiceState } from "./ServiceState"

/** The agents that are published to programs and people outside, for administrators. */
export default function ServicesPage() {
  const say = useTable(servicesWords)
  const { data, error } = useQuery(servicesQuery)
  const [open, setOpen] = useState<string>() // the id of a service; empty: a new one
  const [closed, setClosed] = useState(false)
  if (!data) return <Pending error={error} />
  const close = () => {
    setOpen(undefined)
    setClosed(true)
  }
  const service = data.find(({ id }) => id === open)
  if (open === "" || service) {
    return (
      <div className="space-y-5">
        <div className="flex flex-wrap items-center gap-x-3 gap-y-2">
          <Button look="quiet" className="-ml-3" onClick={close}>
            <ArrowLeft size={15} aria-hidden /> {say("back")}
          </Button>
          <h3 ref={takeFocus} tabIndex={-1} className="min-w-0 font-semibold break-words outline-none">{service?.name ?? say("add")}</h3>
          {service && <ServiceState service={service} />}
        </div>
        {service ? <ServicePart service={service} onGone={close} /> : <ServiceForm begin={nothing} revision={0} onSaved={({ id }) => setOpen(id)} onCancel={close} />}
      </div>
    )
  }
  return (
    <div ref={closed ? takeView : undefined} tabIndex={-1} className="space-y-5 outline-none">
      <p className="text-ink-2">{say("lead")}</p>
      {data.length === 0 && <p className="text-ink-2">{say("none")}</p>}
      <ul aria-label={say("list")} className="divide-y divide-line">
        {data.map((one) => (
          <Row key={one.id} service={one} onOpen={() => setOpen(one.id)} />
        ))}
      </ul>
      <Button onClick={() => setOpen("")}>
        <Plus size={15} aria-hidden /> {say("add")}
      </Button>
    </div>
  )
}

function Row({ service, onOpen }: { service: Service; onOpen: () => void }) {
  const say = useTable(servicesWords)
  const { me } = useAccount()
  const language = useLanguage()
  const { id, name, description, model, keys, conversations, last_used_at, admin_name } = service
  const facts = [
    admin_name !== me.user.name && say("of", { name: admin_name }),
    model,
    say("keysCount", { count: keys }),
    say("conversationsCount", { count: conversations }),
    last_used_at ? say("used", { date: moment(language, last_used_at) }) : say("unused"),
  ]
  return (
    <li aria-label={name} className="flex flex-wrap items-start gap-x-3 gap-y-2 py-3">
      <div className="min-w-48 flex-1">
        <p className="flex flex-wrap items-baseline gap-x-2">
          <span className="font-medium break-words">{name}</span>
          <ServiceState service={service} />
        </p>
        {description && <p className="line-clamp-2 break-words text-ink-2">{description}</p>}
        <p className="text-small break-words text-ink-3">{facts.filter(Boolean).join(" · ")}</p>
        <p className="font-mono text-small text-ink-3">{id}</p>
      </div>
      <Button aria-label={say("openLabel", { name })} onClick={onOpen}>{say("open")}</Button>
    </li>
  )
}

/** What takes the place of the pressed button begins at its heading. */
const takeFocus = (heading: HTMLElement | null) => heading?.focus()

/** The list after a service begins at its top. */
const takeView = (page: HTMLElement | null) => {
  page?.focus({ preventScroll: true })
  page?.closest("[role=group]")?.scrollTo(0, 0)
}
