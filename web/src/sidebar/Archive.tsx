import { useQuery } from "@tanstack/react-query"
import { ChevronRight } from "lucide-react"
import { useId, useState } from "react"

import { sessionsQuery } from "../api/queries"
import { useT } from "../i18n"
import { cx } from "../lib/cx"
import { Rows } from "./Rows"

/** What is kept out of the list, below it: folded until somebody looks. Below an empty list it is there only if it holds something. */
export default function ArchivedSessions({ alone }: { alone: boolean }) {
  const t = useT()
  const id = useId()
  const [open, setOpen] = useState(false)
  const archived = useQuery({ ...sessionsQuery("", "archived"), enabled: alone })
  const oneshots = useQuery({ ...sessionsQuery("", "oneshots"), enabled: alone })
  if (alone && !archived.data?.length && !oneshots.data?.length) return null
  return (
    <div className="mt-4">
      <button
        type="button"
        aria-expanded={open}
        aria-controls={id}
        onClick={() => setOpen(!open)}
        className="flex min-h-9 w-full items-center gap-1.5 rounded-md px-2 text-small text-ink-3 outline-offset-[-2px] hover:bg-hover"
      >
        <ChevronRight size={14} aria-hidden className={cx("transition-transform", open && "rotate-90")} />
        {t("sidebar.putAway")}
      </button>
      <div id={id}>{open && <Shelves />}</div>
    </div>
  )
}

function Shelves() {
  const t = useT()
  const archived = useQuery(sessionsQuery("", "archived"))
  const oneshots = useQuery(sessionsQuery("", "oneshots"))
  const error = archived.error ?? oneshots.error
  return (
    <>
      {error && <p className="p-2 text-small text-ink-3">{t("sidebar.failed", { reason: error.message })}</p>}
      {archived.data?.length === 0 && <p className="p-2 text-small text-ink-3">{t("sidebar.noArchived")}</p>}
      {archived.data && archived.data.length > 0 && <Rows title={t("sidebar.archived")} sessions={archived.data} />}
      {oneshots.data && oneshots.data.length > 0 && <Rows title={t("sidebar.oneshots")} sessions={oneshots.data} />}
    </>
  )
}
