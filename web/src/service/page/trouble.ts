import { useCallback } from "react"

import type { Trouble } from "../api/problem"
import { useLanguage, useSay } from "../lib/language"
import { words } from "../lib/words"

interface Told {
  kind: Trouble
  message: string
  until?: number
}

/** The sentence that says what went wrong and what to do. `again`: the page tries again by itself. */
export function useTrouble(): (trouble: Told, again?: boolean, now?: number) => string {
  const say = useSay()
  const language = useLanguage()
  return useCallback(
    ({ kind, message, until }, again = false, now = Date.now()) => {
      if (kind === "busy") return say(again ? "trouble.busyAgain" : "trouble.busy")
      if (kind === "refused") return message === "" ? say("trouble.busy") : say("trouble.refused", { why: message.replace(/\.$/, "") })
      if (kind !== "limit") return say(`trouble.${kind}`)
      const seconds = Math.max(1, Math.ceil(((until ?? now) - now) / 1000))
      const time = new Date(until ?? now).toLocaleString(words[language].lang === "en" ? "en-GB" : "zh-CN", { hour: "2-digit", minute: "2-digit", ...(seconds > 43_200 && { day: "numeric", month: "short" }) })
      return say("trouble.limit", { when: seconds < 100 ? say("trouble.in", { n: seconds }) : say("trouble.at", { time }) })
    },
    [say, language],
  )
}
