import { useEffect, useRef, useState } from "react"

/** How wide something is, in pixels, once it has come into sight or near it; before that 0. */
export function useVisible<E extends Element>() {
  const ref = useRef<E>(null)
  const [width, setWidth] = useState(0)
  useEffect(() => {
    const element = ref.current
    if (!element || width > 0) return
    const observer = new IntersectionObserver(
      ([entry]) => {
        if (entry?.isIntersecting) setWidth(Math.max(1, entry.boundingClientRect.width))
      },
      { rootMargin: "400px" },
    )
    observer.observe(element)
    return () => observer.disconnect()
  }, [width])
  return { ref, width }
}
