import { useEffect, useState } from "react"

/** The time now in milliseconds, told anew each second while `ticking`. */
export function useNow(ticking: boolean): number {
  const [now, setNow] = useState(() => Date.now())
  useEffect(() => {
    if (!ticking) return
    const tell = () => setNow(Date.now())
    const first = setTimeout(tell) // the last told time may be old
    const timer = setInterval(tell, 1000)
    return () => {
      clearTimeout(first)
      clearInterval(timer)
    }
  }, [ticking])
  return now
}
