import { lazy, Suspense } from "react"

import { useT } from "../../i18n"
import { useHasAside } from "../../ui/useMedia"
import type { FeedState } from "../feed/state"

const Sheet = lazy(() => import("../../ui/Sheet"))
const ContextPanel = lazy(() => import("../context/ContextPanel"))
const TurnPanel = lazy(() => import("./TurnPanel"))

interface Props {
  feed: FeedState
  chosen?: string
  /** What the panel is about: a turn, or what the model sees of the conversation. */
  view: "turn" | "context"
  open: boolean
  onChoose: (turn: string) => void
  onClose: () => void
}

/** Everything that a reader of the conversation does not need: beside it, or over it on a small screen. */
export function DetailsPanel(props: Props) {
  const t = useT()
  const label = t(props.view === "context" ? "context.title" : "details.title")
  const panel = props.view === "context" ? <ContextPanel messages={props.feed.messages} onClose={props.onClose} /> : <TurnPanel feed={props.feed} chosen={props.chosen} onChoose={props.onChoose} onClose={props.onClose} />
  const beside = useHasAside()
  if (!beside) {
    return (
      <Suspense>
        <Sheet open={props.open} onOpenChange={props.onClose} side="right" label={label}>
          {panel}
        </Sheet>
      </Suspense>
    )
  }
  if (!props.open) return null
  return (
    <aside aria-label={label} className="h-full w-84 shrink-0 border-l border-line bg-raised">
      <Suspense>{panel}</Suspense>
    </aside>
  )
}
