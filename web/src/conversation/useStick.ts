import { type RefObject, useCallback, useEffect, useLayoutEffect, useRef, useState } from "react"

/** Pixels from the end within which a reader counts as being there. */
const NEAR = 64

/**
 * Keeps a scrolled box at its end while it grows, unless the reader has scrolled away, and keeps the reader's place when
 * something is put in before the first message. `first` changes when the first message does.
 */
export function useStick(box: RefObject<HTMLElement | null>, content: RefObject<HTMLElement | null>, first: number | undefined) {
  const stuck = useRef(true)
  const [away, setAway] = useState(false)
  const heightBefore = useRef(0)

  const toEnd = useCallback(() => {
    stuck.current = true
    setAway(false)
    if (box.current) box.current.scrollTop = box.current.scrollHeight
  }, [box])

  useEffect(() => {
    const element = box.current
    const inner = content.current
    if (!element || !inner) return
    const scrolled = () => {
      stuck.current = element.scrollHeight - element.scrollTop - element.clientHeight < NEAR
      setAway(!stuck.current)
    }
    const observer = new ResizeObserver(() => {
      if (stuck.current) element.scrollTop = element.scrollHeight
      else scrolled()
      heightBefore.current = element.scrollHeight
    })
    observer.observe(inner)
    observer.observe(element)
    element.addEventListener("scroll", scrolled, { passive: true })
    return () => {
      observer.disconnect()
      element.removeEventListener("scroll", scrolled)
    }
  }, [box, content])

  useLayoutEffect(() => {
    const element = box.current
    if (!element) return
    if (stuck.current) element.scrollTop = element.scrollHeight
    else element.scrollTop += element.scrollHeight - heightBefore.current
    heightBefore.current = element.scrollHeight
  }, [box, first])

  return { away, toEnd }
}
