import { Check, Copy } from "lucide-react"

import { useCopy } from "../../ui/useCopy"
import { useSay } from "../lib/language"
import { IconButton } from "./IconButton"

/** A small button that copies a text. */
export function CopyButton({ text, label }: { text: string; label: "turn.copy" | "answer.code" }) {
  const say = useSay()
  const [copied, copy] = useCopy()
  return (
    <IconButton small label={say(copied ? "turn.copied" : label)} onClick={() => copy(text)}>
      {copied ? <Check size={15} aria-hidden /> : <Copy size={15} aria-hidden />}
    </IconButton>
  )
}
