import { Link } from "@tanstack/react-router"
import { Search, SquarePen } from "lucide-react"
import { useDeferredValue, useState } from "react"

import { useT } from "../i18n"
import { Logo } from "../ui/Logo"
import { AccountButton } from "./account/AccountButton"
import { SessionList } from "./SessionList"

/** New conversation, search, the list of conversations, and the account at the foot. */
export function Sidebar() {
  const t = useT()
  const [q, setQ] = useState("")
  const query = useDeferredValue(q.trim())
  return (
    <div className="flex h-full flex-col">
      <div className="flex h-13 shrink-0 items-center gap-2.5 px-4">
        <Logo size={22} />
        <span className="font-semibold tracking-tight">{t("app.name")}</span>
      </div>
      <div className="space-y-1 px-2 pb-2">
        <Link to="/" className="flex h-9 items-center gap-2.5 rounded-md px-2 font-medium hover:bg-hover">
          <SquarePen size={17} aria-hidden className="text-ink-2" />
          {t("sidebar.new")}
        </Link>
        <div className="relative">
          <Search size={17} aria-hidden className="pointer-events-none absolute top-2.5 left-2 text-ink-3" />
          <input
            id="session-search"
            type="search"
            value={q}
            onChange={(event) => setQ(event.target.value)}
            onKeyDown={(event) => {
              if (event.key === "Escape" && q !== "") {
                event.stopPropagation()
                setQ("")
              }
            }}
            aria-label={t("sidebar.search")}
            placeholder={t("sidebar.search")}
            className="h-9 w-full rounded-md bg-transparent pr-2 pl-8.5 outline-none placeholder:text-ink-3 hover:bg-hover focus-visible:bg-canvas focus-visible:outline-2 focus-visible:-outline-offset-1 focus-visible:outline-accent"
          />
        </div>
      </div>
      <SessionList q={query} />
      <div className="border-t border-line p-2">
        <AccountButton />
      </div>
    </div>
  )
}
