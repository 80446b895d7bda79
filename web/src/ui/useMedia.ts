import { useCallback, useSyncExternalStore } from "react"

/** Whether a media query matches now. */
export function useMedia(query: string): boolean {
  const subscribe = useCallback(
    (changed: () => void) => {
      const list = matchMedia(query)
      list.addEventListener("change", changed)
      return () => list.removeEventListener("change", changed)
    },
    [query],
  )
  return useSyncExternalStore(subscribe, () => matchMedia(query).matches)
}

/** There is room for the side bar beside the conversation. */
export const useHasSidebar = () => useMedia("(min-width: 48rem)")

/** There is room for the details panel too. */
export const useHasAside = () => useMedia("(min-width: 72rem)")
