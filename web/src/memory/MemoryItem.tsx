import { useMutation, useQueryClient } from "@tanstack/react-query"
import { lazy, Suspense, useState } from "react"

import { editMemory, forgetMemory, type Remembered } from "../api/memory"
import { asProblem } from "../api/problem"
import { useLanguage } from "../i18n"
import { day } from "../i18n/format"
import { memoryWords } from "../i18n/memory"
import { useTable } from "../i18n/table"
import { Button } from "../ui/Button"
import { toast } from "../ui/toasts"

const Confirm = lazy(() => import("../ui/Confirm"))

/** One thing that is remembered. Notes and blocks can be changed, everything can be forgotten. */
export function MemoryItem({ item, agent }: { item: Remembered; agent: string }) {
  const say = useTable(memoryWords)
  const language = useLanguage()
  const client = useQueryClient()
  const [draft, setDraft] = useState<string>()
  const [was, setWas] = useState("") // when the change was begun
  const [asking, setAsking] = useState(false)
  const name = item.name ?? item.id
  const after = {
    onSuccess: () => {
      setDraft(undefined)
      return client.invalidateQueries({ queryKey: ["memory"] })
    },
    onError: (error: unknown) => {
      toast(asProblem(error).message)
      return client.invalidateQueries({ queryKey: ["memory"] }) // somebody else may have changed it
    },
  }
  const saving = useMutation({ mutationFn: (content: string) => editMemory(agent, item.id, item.content, content), ...after })
  const forgetting = useMutation({ mutationFn: () => forgetMemory(agent, [item]), ...after })
  const begin = () => {
    setWas(item.content)
    setDraft(item.content)
  }
  const changes = item.kind === "note" || item.kind === "block" || item.kind === "soul"
  return (
    <li className="py-3">
      <div className="flex items-baseline justify-between gap-3 text-small text-ink-3">
        <span className="min-w-0 break-words">
          {say(item.kind)} · {name} · {day(language, item.at)}
        </span>
        <span className="flex shrink-0 gap-1">
          {changes && draft === undefined && (
            <Button look="quiet" aria-label={say("editLabel", { name })} onClick={() => begin()}>
              {say("edit")}
            </Button>
          )}
          <Button look="quiet" aria-label={say("forgetLabel", { name })} disabled={forgetting.isPending} onClick={() => setAsking(true)}>
            {say("forget")}
          </Button>
        </span>
      </div>
      {draft === undefined ? (
        <p className="break-words whitespace-pre-wrap">{item.content}</p>
      ) : (
        <form
          className="space-y-2"
          onSubmit={(event) => {
            event.preventDefault()
            saving.mutate(draft)
          }}
        >
          <textarea
            aria-label={say("text", { name })}
            className="min-h-32 w-full rounded-md border border-line bg-canvas p-2"
            maxLength={item.max ?? 20_000}
            value={draft}
            onChange={(event) => setDraft(event.target.value)}
          />
          {item.content !== was && (
            <div className="rounded-md bg-warn-soft px-3 py-2 text-small">
              <p className="text-warn">{say("changed")}</p>
              <p className="mt-1 break-words whitespace-pre-wrap">{item.content}</p>
            </div>
          )}
          <div className="flex gap-2">
            <Button type="submit" disabled={saving.isPending || draft === item.content}>
              {say("save")}
            </Button>
            <Button look="quiet" onClick={() => setDraft(undefined)}>
              {say("cancel")}
            </Button>
          </div>
        </form>
      )}
      <Suspense>
        {asking && (
          <Confirm title={say("forgetTitle", { name })} text={say("forgetText")} action={say("forget")} onClose={() => setAsking(false)} onConfirm={() => forgetting.mutate()} />
        )}
      </Suspense>
    </li>
  )
}
