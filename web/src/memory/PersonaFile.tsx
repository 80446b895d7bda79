import { useMutation, useQueryClient } from "@tanstack/react-query"
import { useState } from "react"

import { editMemory } from "../api/memory"
import { asProblem } from "../api/problem"
import { memoryWords } from "../i18n/memory"
import { useTable } from "../i18n/table"
import { Button } from "../ui/Button"
import { toast } from "../ui/toasts"

/** A new soul file of an agent. One that is there is changed like everything else that is remembered. */
export function PersonaFile({ agent }: { agent: string }) {
  const say = useTable(memoryWords)
  const client = useQueryClient()
  const [open, setOpen] = useState(false)
  const [name, setName] = useState("")
  const [content, setContent] = useState("")
  const saving = useMutation({
    mutationFn: () => editMemory(agent, `soul/${name.trim()}`, "", content),
    onSuccess: () => {
      setOpen(false)
      setName("")
      setContent("")
      return client.invalidateQueries({ queryKey: ["memory"] })
    },
    onError: (error: unknown) => toast(asProblem(error).message),
  })
  if (!open) {
    return (
      <Button className="mt-3" onClick={() => setOpen(true)}>
        {say("newSoul")}
      </Button>
    )
  }
  return (
    <form
      aria-label={say("newSoul")}
      className="mt-3 space-y-2 rounded-md border border-line p-3"
      onSubmit={(event) => {
        event.preventDefault()
        saving.mutate()
      }}
    >
      <input aria-label={say("soulName")} placeholder="tone.md" className="h-9 w-full rounded-md border border-line bg-canvas px-3" maxLength={100} value={name} onChange={(event) => setName(event.target.value)} />
      <textarea aria-label={say("soulText")} className="min-h-24 w-full rounded-md border border-line bg-canvas p-2" maxLength={20_000} value={content} onChange={(event) => setContent(event.target.value)} />
      <div className="flex gap-2">
        <Button type="submit" disabled={saving.isPending || name.trim() === "" || content.trim() === ""}>
          {say("save")}
        </Button>
        <Button look="quiet" onClick={() => setOpen(false)}>
          {say("cancel")}
        </Button>
      </div>
    </form>
  )
}
