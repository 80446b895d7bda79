import { lazy, Suspense } from "react"

/** Asked for as soon as the page starts: the first conversation needs it, sign-in does not. */
const loading = import("./Markdown")
loading.catch(() => undefined) // whoever draws it gets the same error

const Markdown = lazy(() => loading)

/** Markdown that shows its plain text until the parts which draw it are loaded. */
export function LazyMarkdown({ text, live }: { text: string; live: boolean }) {
  return (
    <Suspense fallback={<div className="prose whitespace-pre-wrap">{text}</div>}>
      <Markdown text={text} live={live} />
    </Suspense>
  )
}
