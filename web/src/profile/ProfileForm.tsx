import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query"
import { useState } from "react"

import { type Profile, readProfile, setProfile } from "../api/memory"
import { asProblem } from "../api/problem"
import { memoryWords } from "../i18n/memory"
import { useTable } from "../i18n/table"
import { Button } from "../ui/Button"
import { Field } from "../ui/Field"
import { toast } from "../ui/toasts"

/** What the person says of themselves, for their own conversations. */
export function ProfileForm() {
  const say = useTable(memoryWords)
  const client = useQueryClient()
  const profile = useQuery({ queryKey: ["profile"], queryFn: readProfile, retry: false })
  const [draft, setDraft] = useState<Profile>()
  const saving = useMutation({
    mutationFn: setProfile,
    onSuccess: (stands) => {
      client.setQueryData(["profile"], stands)
      setDraft(undefined)
    },
    onError: (error: unknown) => toast(asProblem(error).message),
  })
  if (!profile.data) return null
  if (!draft) {
    return (
      <section aria-label={say("profile")} className="mt-3 rounded-md border border-line p-3">
        <div className="flex items-baseline justify-between gap-3 text-small text-ink-3">
          <span>
            {say("profile")}
            {profile.data.timezone && ` · ${profile.data.timezone}`}
          </span>
          <Button look="quiet" aria-label={say("editLabel", { name: say("profile") })} onClick={() => setDraft(profile.data)}>
            {say("edit")}
          </Button>
        </div>
        <p className="break-words whitespace-pre-wrap text-ink-2">{profile.data.content || say("profileNone")}</p>
      </section>
    )
  }
  return (
    <form
      aria-label={say("profile")}
      className="mt-3 space-y-3 rounded-md border border-line p-3"
      onSubmit={(event) => {
        event.preventDefault()
        saving.mutate(draft)
      }}
    >
      <label className="block">
        <span className="mb-1.5 block font-medium">{say("profileText")}</span>
        <textarea
          placeholder={say("profileNone")}
          className="min-h-24 w-full rounded-md border border-line-strong bg-canvas px-3 py-2"
          maxLength={2000}
          value={draft.content}
          onChange={(event) => setDraft({ ...draft, content: event.target.value })}
        />
      </label>
      <Field
        label={say("timezone")}
        placeholder={Intl.DateTimeFormat().resolvedOptions().timeZone}
        maxLength={64}
        value={draft.timezone}
        onChange={(event) => setDraft({ ...draft, timezone: event.target.value })}
      />
      <div className="flex gap-2">
        <Button type="submit" disabled={saving.isPending}>
          {say("save")}
        </Button>
        <Button look="quiet" onClick={() => setDraft(undefined)}>
          {say("cancel")}
        </Button>
      </div>
    </form>
  )
}
