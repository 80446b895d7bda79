import { useMutation } from "@tanstack/react-query"
import { useState } from "react"

import { compact } from "../../api/context"
import { useT } from "../../i18n"
import { randomId } from "../../lib/ids"
import { Button } from "../../ui/Button"
import { Note } from "../../ui/Note"
import { useConversationContext } from "../shared/context"

/** Longest focus, in characters. */
const LONGEST_FOCUS = 500

/** Asks for a compression, which takes its place after what runs and waits. */
export function CompactForm() {
  const t = useT()
  const { sessionKey } = useConversationContext()
  const [focus, setFocus] = useState("")
  const { mutate, isPending, isSuccess, error } = useMutation({
    mutationFn: () => compact(sessionKey, randomId(), focus.trim()),
    onSuccess: () => setFocus(""),
  })
  return (
    <form
      className="space-y-2"
      onSubmit={(event) => {
        event.preventDefault()
        if (!isPending) mutate()
      }}
    >
      <input
        aria-label={t("compaction.focusLabel")}
        placeholder={t("compaction.focusLabel")}
        value={focus}
        maxLength={LONGEST_FOCUS}
        onChange={(event) => setFocus(event.target.value)}
        className="h-9 w-full rounded-md border border-line-strong bg-canvas px-3 placeholder:text-ink-3"
      />
      <Button type="submit" aria-disabled={isPending}>
        {t("compaction.now")}
      </Button>
      {isSuccess && <p role="status" className="text-small text-ink-2">{t("compaction.queued")}</p>}
      {error && <Note tone="danger" className="text-small">{error.message}</Note>}
    </form>
  )
}
