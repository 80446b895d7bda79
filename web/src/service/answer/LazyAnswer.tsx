import { Component, lazy, type ReactNode, Suspense } from "react"

/** Asked for as soon as the page starts: the welcome needs it. */
const loading = import("./Answer")
loading.catch(() => undefined) // whoever draws it gets the same error

const Answer = lazy(() => loading)

/** Markdown that shows its plain text until the parts which draw it are loaded, and where they cannot be. */
export function LazyAnswer({ text, live }: { text: string; live: boolean }) {
  const plain = <div className="prose whitespace-pre-wrap">{text}</div>
  return (
    <Otherwise fallback={plain}>
      <Suspense fallback={plain}>
        <Answer text={text} live={live} />
      </Suspense>
    </Otherwise>
  )
}

class Otherwise extends Component<{ fallback: ReactNode; children: ReactNode }, { broken: boolean }> {
  override state = { broken: false }

  static getDerivedStateFromError = () => ({ broken: true })

  override render() {
    return this.state.broken ? this.props.fallback : this.props.children
  }
}
