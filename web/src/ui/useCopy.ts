import { useEffect, useState } from "react"

/** How long a button says that it copied. */
const SAID_FOR = 2000

/** Copies a text and tells for two seconds that it did. Without HTTPS the old way is used, which needs a selection. */
export function useCopy(): [copied: boolean, copy: (text: string) => void] {
  const [at, setAt] = useState(0)
  useEffect(() => {
    if (at === 0) return
    const timer = setTimeout(() => setAt(0), SAID_FOR)
    return () => clearTimeout(timer)
  }, [at])
  const copy = (text: string) => {
    void copyText(text).then((done) => done && setAt(Date.now()))
  }
  return [at !== 0, copy]
}

/** Copies a text; false when the browser does not allow it. */
export async function copyText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text)
    return true
  } catch {
    return copyBySelection(text)
  }
}

function copyBySelection(text: string): boolean {
  const area = document.createElement("textarea")
  area.value = text
  area.setAttribute("aria-hidden", "true")
  area.style.position = "fixed"
  area.style.opacity = "0"
  document.body.append(area)
  area.select()
  try {
    // Deprecated, but the only way on a page that was not served over HTTPS.
    // eslint-disable-next-line @typescript-eslint/no-deprecated
    return document.execCommand("copy")
  } finally {
    area.remove()
  }
}
