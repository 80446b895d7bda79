import { useMutation } from "@tanstack/react-query"
import { useEffect, useRef } from "react"

import { useT } from "../i18n"
import { Button } from "../ui/Button"
import type { Conversation } from "./feed/conversation"

/** Reads earlier messages when it comes into view, or when pressed. */
export function OlderButton({ conversation }: { conversation: Conversation }) {
  const t = useT()
  const place = useRef<HTMLDivElement>(null)
  const { mutate, isPending, error } = useMutation({ mutationFn: () => conversation.readOlder() })
  useEffect(() => {
    const element = place.current
    if (!element || isPending || error) return
    const observer = new IntersectionObserver((entries) => {
      if (entries.some((entry) => entry.isIntersecting)) mutate()
    })
    observer.observe(element)
    return () => observer.disconnect()
  }, [mutate, isPending, error])
  return (
    <div ref={place} className="flex flex-col items-center gap-2">
      {error && <p className="text-small text-danger">{t("conversation.olderFailed", { reason: error.message })}</p>}
      <Button look="quiet" aria-disabled={isPending} onClick={() => mutate()}>
        {t(isPending ? "conversation.readingOlder" : "conversation.older")}
      </Button>
    </div>
  )
}
