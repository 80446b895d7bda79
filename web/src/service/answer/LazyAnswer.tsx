import { lazy, Suspense } from "react"

/** Asked for as soon as the page starts: the welcome needs it. */
const loading = import("./Answer")
loading.catch(() => undefined) // whoever draws it gets the same error

const Answer = lazy(() => loading)

/** Markdown that shows its plain text until the parts which draw it are loaded. */
export function LazyAnswer({ text, live }: { text: string; live: boolean }) {
  return (
    <Suspense fallback={<div className="prose whitespace-pre-wrap">{text}</div>}>
      <Answer text={text} live={live} />
    </Suspense>
  )
}
