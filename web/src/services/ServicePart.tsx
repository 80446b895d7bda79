import { useMutation, useQueryClient } from "@tanstack/react-query"
import { ExternalLink } from "lucide-react"
import { Tabs } from "radix-ui"
import { lazy, Suspense, useState } from "react"

import { deleteService, saveService, type Service } from "../api/services"
import { servicesWords } from "../i18n/services"
import { trackWords } from "../i18n/servicetrack"
import { useTable } from "../i18n/table"
import { Button, buttonLook } from "../ui/Button"
import { Note } from "../ui/Note"
import { toast } from "../ui/toasts"
import { Conversations } from "./Conversations"
import { filledFrom } from "./draft"
import { Embed } from "./Embed"
import { Keys } from "./Keys"
import { servicesQuery } from "./queries"
import { ServiceForm } from "./ServiceForm"

const Confirm = lazy(() => import("../ui/Confirm"))
const Tasks = lazy(() => import("./Tasks"))
const Usage = lazy(() => import("./Usage"))

const tab = "-mb-px border-b-2 border-transparent px-1 py-2 font-medium text-ink-2 hover:text-ink data-[state=active]:border-accent data-[state=active]:text-ink"

/** All about one service: its keys, what its consumers said, and what it is. */
export function ServicePart({ service, onGone }: { service: Service; onGone: () => void }) {
  const say = useTable(servicesWords)
  const track = useTable(trackWords)
  const { id, name, revision } = service
  return (
    <>
      <Actions service={service} onGone={onGone} />
      <Tabs.Root defaultValue="keys">
        <Tabs.List aria-label={name} className="flex gap-5 overflow-x-auto border-b border-line">
          <Tabs.Trigger value="keys" className={tab}>{say("keys")}</Tabs.Trigger>
          <Tabs.Trigger value="conversations" className={tab}>{say("conversations")}</Tabs.Trigger>
          <Tabs.Trigger value="tasks" className={tab}>{track("tasks")}</Tabs.Trigger>
          <Tabs.Trigger value="usage" className={tab}>{track("usage")}</Tabs.Trigger>
          <Tabs.Trigger value="about" className={tab}>{say("about")}</Tabs.Trigger>
        </Tabs.List>
        <Tabs.Content value="keys" className="space-y-6 pt-4">
          <Keys service={service} />
          <Embed service={service} />
        </Tabs.Content>
        <Tabs.Content value="conversations" className="pt-4">
          <Conversations id={id} />
        </Tabs.Content>
        <Tabs.Content value="tasks" className="pt-4">
          <Suspense><Tasks id={id} /></Suspense>
        </Tabs.Content>
        <Tabs.Content value="usage" className="pt-4">
          <Suspense><Usage id={id} /></Suspense>
        </Tabs.Content>
        <Tabs.Content value="about" className="pt-4">
          <ServiceForm key={revision} of={service} begin={filledFrom(service)} revision={revision} onSaved={() => toast(say("saved", { name }))} />
        </Tabs.Content>
      </Tabs.Root>
    </>
  )
}

/** Publishes and withdraws it, leads to its page, and deletes it. */
function Actions({ service, onGone }: { service: Service; onGone: () => void }) {
  const say = useTable(servicesWords)
  const client = useQueryClient()
  const [asking, setAsking] = useState(false)
  const { id, name, page, published, closed, keys, conversations } = service
  const again = () => client.invalidateQueries({ queryKey: servicesQuery.queryKey })
  const turning = useMutation({ mutationFn: () => saveService(id, { published: !published }), onSuccess: again })
  const removal = useMutation({
    mutationFn: () => deleteService(id),
    onSuccess: async () => {
      await again()
      toast(say("deleted", { name }))
      onGone()
    },
  })
  const failure = turning.error ?? removal.error
  return (
    <div className="space-y-3">
      {service.description && <p className="break-words whitespace-pre-wrap text-ink-2">{service.description}</p>}
      <div className="flex flex-wrap gap-2">
        <a href={page} target="_blank" rel="noreferrer" className={buttonLook("plain")}>
          <ExternalLink size={15} aria-hidden /> {say("page")}
        </a>
        <Button disabled={turning.isPending} onClick={() => turning.mutate()}>{say(published ? "withdraw" : "publish")}</Button>
        <Button look="quiet" disabled={removal.isPending} onClick={() => setAsking(true)}>{say("delete")}</Button>
      </div>
      {closed && <Note tone="warn">{say("closedHint")}</Note>}
      {!closed && !published && <Note tone="plain">{say("withdrawnHint")}</Note>}
      {failure && <Note tone="danger">{failure.message}</Note>}
      <Suspense>
        {asking && (
          <Confirm title={say("deleteTitle", { name })} text={say("deleteText", { keys, conversations })} action={say("deleteConfirm")} onClose={() => setAsking(false)} onConfirm={() => removal.mutate()} />
        )}
      </Suspense>
    </div>
  )
}
