import type { ReactNode } from "react"

import { useSay } from "../lib/language"
import { service } from "../lib/service"
import { Badge } from "../ui/Badge"
import { Settings } from "./Settings"

/** The page of a service before anybody may ask it something. */
export function Front({ children, title, lead }: { children: ReactNode; title?: string; lead?: string }) {
  const say = useSay()
  return (
    <div className="flex h-full flex-col overflow-y-auto">
      <main className="m-auto flex w-full max-w-sm flex-col items-center px-6 py-10 text-center">
        <Badge large />
        <h1 className="mt-5 max-w-full text-title font-semibold text-balance break-words">{service.name}</h1>
        {service.description !== "" && <p className="mt-2 max-w-full text-body text-balance break-words text-ink-2">{service.description}</p>}
        <div className="mt-6 w-full rounded-lg border border-line bg-raised px-5 py-4 text-left">
          <h2 className="font-semibold">{title ?? say("key.title")}</h2>
          <p className="mt-1 text-ink-2">{lead ?? say("key.lead")}</p>
        </div>
        {children}
      </main>
      <footer className="mx-auto w-full max-w-sm shrink-0 px-6 pb-4">
        <Settings keyless />
      </footer>
    </div>
  )
}
