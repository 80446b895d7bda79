/** What the server wrote into the page (web/service.go). */
export interface Service {
  id: string
  name: string
  description: string
  welcome: string
  questions: string[]
}

declare global {
  interface Window {
    __SVC__?: { service_id?: string; service_name?: string; service_desc?: string; welcome_message?: string; quick_questions?: string[] }
  }
}

const told = typeof window === "undefined" ? undefined : window.__SVC__

export const service: Service = {
  id: told?.service_id ?? "",
  name: told?.service_name ?? "",
  description: told?.service_desc ?? "",
  welcome: told?.welcome_message ?? "",
  questions: told?.quick_questions ?? [],
}

/** Where the browser keeps what belongs to this service. */
export const place = (name: string): string => `xbot.svc.${service.id}.${name}`

/** Whether the page stands in a frame that the script of one line has made, which closes when it is told to. */
export const embedded = typeof window !== "undefined" && window.parent !== window && new URLSearchParams(location.search).has("embed")

/** Asks the page around to close the frame. It learns nothing else. */
export function close(): void {
  if (embedded) window.parent.postMessage("xbot:close", "*")
}
