import { Store, useStore } from "./store"

/** What Chromium hands a page that may be installed; it is in no standard yet. */
interface InstallPrompt extends Event {
  prompt(): Promise<unknown>
}

const offered = new Store<InstallPrompt | undefined>(undefined)

/** Lets the page be installed and open while the server is away. Browsers refuse on plain http, localhost excepted. */
export function registerServiceWorker(): void {
  if (!import.meta.env.PROD || !("serviceWorker" in navigator)) return
  navigator.serviceWorker.register("/sw.js").catch((error: unknown) => console.error("the page cannot be kept for later", error))
  addEventListener("beforeinstallprompt", (event) => {
    event.preventDefault() // the account menu has it, instead of a bar over the conversation
    offered.set(event as InstallPrompt)
  })
  addEventListener("appinstalled", () => offered.set(undefined))
}

/** Asks the browser to install the page; undefined where it is installed or cannot be. */
export function useInstall(): (() => void) | undefined {
  const event = useStore(offered)
  if (!event) return undefined
  return () => {
    offered.set(undefined) // the browser takes it once
    event.prompt().catch((error: unknown) => console.error("the page was not installed", error))
  }
}
