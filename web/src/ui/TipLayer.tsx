import { useEffect, useLayoutEffect, useRef, useState } from "react"

/** Milliseconds that the pointer rests before a hint is shown; one that follows another comes at once. */
const REST = 500

/** Pixels between a hint and what it names, and between a hint and the window's edge. */
const GAP = 6

interface Shown {
  text: string
  place: DOMRect
}

/**
 * Draws the hint of whatever carries a data-tip under the pointer or the keyboard's focus. Hints repeat what has a name
 * already (or a place where it is told in full), so they are for eyes only.
 */
export function TipLayer() {
  const [shown, setShown] = useState<Shown>()
  useEffect(() => watch(setShown), [])
  return shown ? <Tip shown={shown} /> : null
}

function Tip({ shown: { text, place } }: { shown: Shown }) {
  const box = useRef<HTMLDivElement>(null)
  useLayoutEffect(() => {
    const element = box.current
    if (!element) return
    const { width, height } = element.getBoundingClientRect()
    const below = place.bottom + GAP + height < innerHeight
    const middle = place.left + place.width / 2 - width / 2
    element.style.left = `${Math.max(GAP, Math.min(middle, innerWidth - width - GAP))}px`
    element.style.top = `${below ? place.bottom + GAP : place.top - GAP - height}px`
  }, [text, place])
  return (
    <div ref={box} aria-hidden className="pointer-events-none fixed top-0 left-0 z-50 max-w-64 rounded-sm bg-ink px-2 py-1 text-small text-canvas">
      {text}
    </div>
  )
}

/** Tells what to show until the returned function is called. */
function watch(show: (shown: Shown | undefined) => void): () => void {
  const ended = new AbortController()
  const options = { signal: ended.signal, passive: true, capture: true }
  let timer: ReturnType<typeof setTimeout> | undefined
  let current: HTMLElement | undefined
  let warm = false
  const hide = () => {
    clearTimeout(timer)
    current = undefined
    show(undefined)
  }
  const point = (target: EventTarget | null, delay: number) => {
    const found = target instanceof Element ? target.closest<HTMLElement>("[data-tip]") : null
    if (found === current) return
    hide()
    if (!found) return void setTimeout(() => (warm = current !== undefined), REST)
    current = found
    timer = setTimeout(() => {
      warm = true
      if (found.isConnected && found.dataset.tip) show({ text: found.dataset.tip, place: found.getBoundingClientRect() })
    }, warm ? 0 : delay)
  }
  document.addEventListener("pointerover", (event) => event.pointerType === "mouse" && point(event.target, REST), options)
  document.addEventListener("focusin", (event) => isVisiblyFocused(event.target) && point(event.target, REST), options)
  for (const name of ["focusout", "pointerdown", "keydown", "scroll", "wheel"]) document.addEventListener(name, hide, options)
  return () => {
    clearTimeout(timer)
    ended.abort()
  }
}

const isVisiblyFocused = (target: EventTarget | null) => target instanceof Element && target.matches(":focus-visible")
