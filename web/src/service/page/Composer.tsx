import { ArrowUp, Paperclip, Square } from "lucide-react"
import { type KeyboardEvent, useEffect, useLayoutEffect, useRef, useState } from "react"

import { cx } from "../../lib/cx"
import { useStore } from "../../lib/store"
import type { Conversation } from "../chat/conversation"
import { draftOf, keepDraft } from "../chat/outbox"
import { useSay } from "../lib/language"
import { IconButton } from "../ui/IconButton"
import { AttachmentList } from "./AttachmentList"
import type { Files } from "./useFiles"

/** Where a message is written. What was begun is kept, per conversation. */
export function Composer({ conversation, files, onSend }: { conversation: Conversation; files: Files; onSend: (text: string, files: File[]) => boolean }) {
  const say = useSay()
  const { id, doing } = useStore(conversation.state)
  const [text, setText] = useState(() => draftOf(id))
  const area = useRef<HTMLTextAreaElement>(null)
  const picker = useRef<HTMLInputElement>(null)
  const { picked, add, clear } = files
  const write = (next: string) => {
    setText(next)
    keepDraft(id, next)
  }
  useEffect(() => {
    const take = () => {
      const { returned } = conversation.state.get()
      if (!returned) return
      conversation.took()
      setText((now) => now || returned.text)
      add(returned.files)
    }
    return conversation.state.subscribe(take)
  }, [conversation, add])
  useLayoutEffect(() => {
    if (area.current) grow(area.current)
  }, [text])
  useEffect(() => {
    if (matchMedia("(pointer: fine)").matches) area.current?.focus()
  }, [])
  const idle = doing === "idle"
  const sendable = idle && (text.trim() !== "" || picked.length > 0)
  const send = () => {
    if (!sendable) return
    if (!onSend(text.trim(), picked)) return
    setText("") // what is kept of it goes once the message itself is kept
    clear()
  }
  const pressed = (event: KeyboardEvent) => {
    // 229: an input method takes this key. Safari tells it in this way alone where the key ends the composition.
    // eslint-disable-next-line @typescript-eslint/no-deprecated
    if (event.key !== "Enter" || event.shiftKey || event.altKey || event.nativeEvent.isComposing || event.keyCode === 229) return
    event.preventDefault()
    send()
  }
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        send()
      }}
      className="rounded-xl border border-line-strong bg-overlay p-1.5 shadow-field transition-colors focus-within:border-accent"
    >
      {files.refused !== "" && (
        <p role="alert" className="px-2.5 pt-1 pb-2 text-small text-danger">
          {files.refused}
        </p>
      )}
      {picked.length > 0 && (
        <div className="max-h-40 overflow-y-auto p-1.5">
          <AttachmentList files={picked} onRemove={files.remove} />
        </div>
      )}
      <label htmlFor="message" className="sr-only">
        {say("compose.label")}
      </label>
      <div className="flex items-end gap-1">
        <IconButton label={say("compose.attach")} onClick={() => picker.current?.click()} className="rounded-lg">
          <Paperclip size={19} aria-hidden />
        </IconButton>
        <input
          ref={picker}
          type="file"
          multiple
          hidden
          onChange={(event) => {
            add(event.currentTarget.files ?? [])
            event.currentTarget.value = ""
            area.current?.focus()
          }}
        />
        <textarea
          id="message"
          ref={area}
          rows={1}
          value={text}
          enterKeyHint="send"
          placeholder={say("compose.placeholder")}
          onChange={(event) => write(event.currentTarget.value)}
          onKeyDown={pressed}
          onPaste={files.paste}
          className="max-h-[min(40dvh,16rem)] min-h-10 flex-1 resize-none bg-transparent px-1 py-2 text-body leading-6 outline-none placeholder:text-ink-3"
        />
        {doing === "running" || doing === "stopping" ? (
          <IconButton label={say("compose.stop")} disabled={doing === "stopping"} onClick={() => conversation.stop()} className="rounded-lg bg-sunken text-ink">
            <Square size={15} aria-hidden fill="currentColor" />
          </IconButton>
        ) : (
          <IconButton
            type="submit"
            label={say("compose.send")}
            aria-disabled={!sendable}
            className={cx("rounded-lg", sendable ? "bg-accent text-on-accent! hover:bg-accent-strong" : "bg-sunken text-ink-3")}
          >
            <ArrowUp size={20} aria-hidden />
          </IconButton>
        )}
      </div>
    </form>
  )
}

/** As high as its text; its style says at most how high. */
function grow(area: HTMLTextAreaElement): void {
  area.style.height = "auto"
  area.style.height = `${area.scrollHeight}px`
}
