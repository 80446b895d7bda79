import { Check, Copy } from "lucide-react"

import { useT } from "../i18n"
import { IconButton } from "./IconButton"
import { useCopy } from "./useCopy"

/** A small button that copies a text. */
export function CopyButton({ text, label, className }: { text: string; label: string; className?: string }) {
  const t = useT()
  const [copied, copy] = useCopy()
  return (
    <IconButton small label={copied ? t("common.copied") : label} className={className} onClick={() => copy(text)}>
      {copied ? <Check size={15} aria-hidden /> : <Copy size={15} aria-hidden />}
    </IconButton>
  )
}
