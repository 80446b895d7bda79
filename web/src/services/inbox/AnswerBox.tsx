import { useMutation } from "@tanstack/react-query"
import { type SubmitEvent, useId, useRef, useState } from "react"

import { inboxWords } from "../../i18n/inbox"
import { useTable } from "../../i18n/table"
import { Button } from "../../ui/Button"
import { Note } from "../../ui/Note"

/** Where an administrator writes to a consumer. One that fails keeps its text, and is the same message when it is sent again. */
export function AnswerBox({ onSend }: { onSend: (text: string, id: string) => Promise<unknown> }) {
  const say = useTable(inboxWords)
  const id = useId()
  const once = useRef("")
  const [text, setText] = useState("")
  const { mutate, isPending, error } = useMutation({
    mutationFn: () => {
      once.current ||= crypto.randomUUID()
      return onSend(text, once.current)
    },
    onSuccess: () => {
      once.current = ""
      setText("")
    },
  })
  const submit = (event?: SubmitEvent) => {
    event?.preventDefault()
    if (!isPending && text.trim() !== "") mutate()
  }
  return (
    <form onSubmit={submit} className="space-y-2">
      <label htmlFor={id} className="block font-medium">
        {say("answer")}
      </label>
      <textarea
        id={id}
        rows={3}
        maxLength={10_000}
        value={text}
        aria-describedby={`${id}-hint`}
        onChange={({ target }) => {
          once.current = "" // another text is another message
          setText(target.value)
        }}
        onKeyDown={(event) => {
          if (event.key === "Enter" && (event.ctrlKey || event.metaKey) && !event.nativeEvent.isComposing) submit()
        }}
        className="field-sizing-content max-h-80 min-h-20 w-full rounded-md border border-line-strong bg-canvas px-3 py-2 text-body"
      />
      <p id={`${id}-hint`} className="text-small text-ink-3">
        {say("hint")}
      </p>
      {error && <Note tone="danger">{error.message}</Note>}
      <Button type="submit" look="primary" aria-disabled={isPending || text.trim() === ""}>
        {say("send")}
      </Button>
    </form>
  )
}
