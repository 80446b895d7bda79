import { Eye } from "lucide-react"
import { lazy, Suspense, useState } from "react"

import type { Message } from "../../api/types"
import { useT } from "../../i18n"
import { Button } from "../../ui/Button"
import { stepsOf } from "./steps"

const RequestDialog = lazy(() => import("./RequestDialog"))

interface Props {
  messages: Message[]
  /** The turn whose last step is shown first; else the newest one. */
  turn?: string
}

/** Opens what the model saw in a step. */
export function RequestButton({ messages, turn }: Props) {
  const t = useT()
  const [open, setOpen] = useState(false)
  const steps = stepsOf(messages)
  const first = steps.findLastIndex((place) => turn === undefined || place.turn === turn)
  if (first < 0) return null
  return (
    <>
      <Button onClick={() => setOpen(true)}>
        <Eye size={15} aria-hidden />
        {t("request.open")}
      </Button>
      <Suspense>{open && <RequestDialog steps={steps} first={first} onClose={() => setOpen(false)} />}</Suspense>
    </>
  )
}
