import { useQuery } from "@tanstack/react-query"
import { AudioLines } from "lucide-react"

import { useTable } from "../../i18n/table"
import { voiceWords } from "../../i18n/voice"
import { keysQuery } from "../../models/queries"
import { IconButton } from "../../ui/IconButton"

/** Milliseconds for which the page believes what it knows of keys. */
const KEYS_FRESH = 60_000

/** Starts voice mode, where a realtime service has a key and the browser has a microphone. */
export default function VoiceButton({ onStart }: { onStart: () => void }) {
  const say = useTable(voiceWords)
  const { data } = useQuery({ ...keysQuery, staleTime: KEYS_FRESH })
  const able = "AudioWorkletNode" in window && (navigator as Partial<Navigator>).mediaDevices !== undefined
  if (!able || !data?.services.some(({ service, source }) => service === "realtime" && source)) return null
  return (
    <IconButton round label={say("start")} onClick={onStart}>
      <AudioLines size={17} aria-hidden />
    </IconButton>
  )
}
