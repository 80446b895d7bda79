import { useQuery } from "@tanstack/react-query"
import { AudioLines } from "lucide-react"
import { lazy, Suspense, use, useCallback, useState } from "react"

import { useTable } from "../../i18n/table"
import { voiceWords } from "../../i18n/voice"
import { keysQuery } from "../../models/queries"
import { IconButton } from "../../ui/IconButton"
import { ConversationContext } from "../shared/context"

const VoicePanel = lazy(() => import("./VoicePanel"))

/** Milliseconds for which the list of keys is fresh. */
const KEYS_FRESH = 60_000

/** The button of voice mode. It is shown if there is a key for realtime voice and the browser supports AudioWorklet; conversations of subagents have none. */
export default function Voice({ sessionKey }: { sessionKey: string }) {
  const say = useTable(voiceWords)
  const context = use(ConversationContext)
  const [open, setOpen] = useState(false)
  const close = useCallback(() => setOpen(false), [])
  const { data } = useQuery({ ...keysQuery, staleTime: KEYS_FRESH })
  if (!context || context.among || !("AudioWorkletNode" in window) || !data?.services.some(({ service, source }) => service === "realtime" && source)) return null
  return (
    <>
      <IconButton round label={say("start")} onClick={() => setOpen(true)}>
        <AudioLines size={17} aria-hidden />
      </IconButton>
      <Suspense>{open && <VoicePanel sessionKey={sessionKey} onClose={close} />}</Suspense>
    </>
  )
}
