import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query"
import { lazy, type SubmitEvent, Suspense, useEffect, useRef, useState } from "react"

import { createServiceKey, type NewServiceKey, revokeServiceKey, rotateServiceKey, type Service, type ServiceKey } from "../api/services"
import { useLanguage } from "../i18n"
import { moment } from "../i18n/format"
import { servicesWords } from "../i18n/services"
import { useTable } from "../i18n/table"
import { cx } from "../lib/cx"
import { Button } from "../ui/Button"
import { Field } from "../ui/Field"
import { Note } from "../ui/Note"
import { CopyField } from "./CopyField"
import { serviceKeysQuery, servicesQuery } from "./queries"

const Confirm = lazy(() => import("../ui/Confirm"))

/** The keys of a service. Whoever has one uses it. */
export function Keys({ service: { id, page } }: { service: Service }) {
  const say = useTable(servicesWords)
  const client = useQueryClient()
  const { data, error } = useQuery(serviceKeysQuery(id))
  const [shown, setShown] = useState<NewServiceKey>()
  const changed = (key?: NewServiceKey) => {
    setShown(key)
    return client.invalidateQueries({ queryKey: servicesQuery.queryKey })
  }
  return (
    <div className="space-y-4">
      <p className="text-ink-2">{say("keysLead")}</p>
      {error && <Note tone="danger">{error.message}</Note>}
      {data?.length === 0 && <p className="text-ink-2">{say("noKeys")}</p>}
      <ul aria-label={say("keys")} className="divide-y divide-line">
        {data?.map((key) => (
          <Row key={key.id} service={id} of={key} onChanged={changed} />
        ))}
      </ul>
      {shown && <Shown made={shown} page={page} />}
      <NewKey service={id} onMade={changed} />
    </div>
  )
}

/** A key the one time that it can be seen. */
function Shown({ made, page }: { made: NewServiceKey; page: string }) {
  const say = useTable(servicesWords)
  const place = useRef<HTMLDivElement>(null)
  useEffect(() => {
    place.current?.scrollIntoView({ block: "nearest" }) // newer browsers return a promise, which is no clean-up
  }, [made.key])
  return (
    <div ref={place}>
      <Note tone="plain" className="space-y-3">
        <p className="text-ink">{say("once", { name: made.name })}</p>
        <CopyField label={say("theKey")} text={made.key} />
        <CopyField label={say("theLink")} text={`${location.origin}${page}#key=${made.key}`} />
      </Note>
    </div>
  )
}

function NewKey({ service, onMade }: { service: string; onMade: (key: NewServiceKey) => Promise<void> }) {
  const say = useTable(servicesWords)
  const [name, setName] = useState("")
  const making = useMutation({
    mutationFn: () => createServiceKey(service, name.trim()),
    onSuccess: (made) => {
      setName("")
      return onMade(made)
    },
  })
  const submit = (event: SubmitEvent) => {
    event.preventDefault()
    if (!making.isPending && name.trim() !== "") making.mutate()
  }
  return (
    <>
      <form className="flex flex-wrap items-end gap-2" onSubmit={submit} autoComplete="off">
        <Field className="min-w-48 flex-1" label={say("keyName")} value={name} maxLength={100} onChange={({ target }) => setName(target.value)} />
        <Button type="submit" className="h-10" aria-disabled={making.isPending || name.trim() === ""}>{say("makeKey")}</Button>
      </form>
      {making.error && <Note tone="danger">{making.error.message}</Note>}
    </>
  )
}

function Row({ service, of: key, onChanged }: { service: string; of: ServiceKey; onChanged: (key?: NewServiceKey) => Promise<void> }) {
  const say = useTable(servicesWords)
  const language = useLanguage()
  const [asking, setAsking] = useState<"revoke" | "rotate">()
  const { id, name, prefix, created_at, last_used_at, revoked_at } = key
  const revoking = useMutation({ mutationFn: () => revokeServiceKey(service, id), onSuccess: () => onChanged() })
  const rotating = useMutation({ mutationFn: () => rotateServiceKey(service, id), onSuccess: onChanged })
  const failure = revoking.error ?? rotating.error
  const facts = [
    say("made", { date: moment(language, created_at) }),
    last_used_at ? say("used", { date: moment(language, last_used_at) }) : say("unused"),
    revoked_at && say("revoked", { date: moment(language, revoked_at) }),
  ]
  return (
    <li aria-label={name} className={cx("flex flex-wrap items-center gap-x-3 gap-y-2 py-2.5", revoked_at && "text-ink-3")}>
      <span className="min-w-48 flex-1">
        <span className={cx("block font-medium break-words", revoked_at && "line-through")}>{name}</span>
        <span className="block text-small break-words text-ink-3">
          <code className="font-mono">{prefix}…</code> · {facts.filter(Boolean).join(" · ")}
        </span>
      </span>
      {!revoked_at && (
        <span className="flex gap-1">
          <Button look="quiet" aria-label={say("rotateLabel", { name })} disabled={rotating.isPending} onClick={() => setAsking("rotate")}>{say("rotate")}</Button>
          <Button look="quiet" aria-label={say("revokeLabel", { name })} disabled={revoking.isPending} onClick={() => setAsking("revoke")}>{say("revoke")}</Button>
        </span>
      )}
      {failure && <Note tone="danger" className="w-full text-small">{failure.message}</Note>}
      <Suspense>
        {asking && (
          <Confirm title={say(`${asking}Title`, { name })} text={say(`${asking}Text`)} action={say(asking)} onClose={() => setAsking(undefined)} onConfirm={() => (asking === "revoke" ? revoking : rotating).mutate()} />
        )}
      </Suspense>
    </li>
  )
}
