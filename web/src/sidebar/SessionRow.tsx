import { Link, useParams } from "@tanstack/react-router"
import { Hand } from "lucide-react"
import { useState } from "react"

import type { Session } from "../api/types"
import { labelOf } from "../channels/place"
import { useSeen } from "../conversation/feed/unread"
import { useT } from "../i18n"
import { cx } from "../lib/cx"
import { ChannelIcon } from "./ChannelIcon"
import { RenameField } from "./RenameField"
import { SessionMenuButton } from "./SessionMenuButton"

/** One conversation in the list: its title, what is new, and what can be done with it. */
export function SessionRow({ session }: { session: Session }) {
  const t = useT()
  const { key: openKey } = useParams({ strict: false })
  const [renaming, setRenaming] = useState(false)
  const open = openKey === session.key
  const title = session.title || labelOf(session) || t("session.untitled")
  const place = session.channel === "web" || labelOf(session) === title ? "" : labelOf(session)
  if (renaming) {
    return (
      <li>
        <RenameField session={session} onDone={() => setRenaming(false)} />
      </li>
    )
  }
  return (
    <li className="group relative">
      <Link
        to="/c/$key"
        params={{ key: session.key }}
        aria-current={open ? "page" : undefined}
        className={cx(
          "flex min-h-9 items-center gap-2 rounded-md py-1 pr-9 pl-2 outline-offset-[-2px] hover:bg-hover",
          open && "bg-hover font-medium",
        )}
      >
        {session.channel !== "web" && <ChannelIcon session={session} />}
        <span className="min-w-0">
          <span className="block truncate">{title}</span>
          {place !== "" && <span className="block truncate text-small font-normal text-ink-3">{place}</span>}
        </span>
      </Link>
      <div className="absolute inset-y-0 right-1 flex items-center">
        <Marks session={session} open={open} />
        <SessionMenuButton session={session} title={title} onRename={() => setRenaming(true)} />
      </div>
    </li>
  )
}

/** A hand while a turn waits for the person, a ring while one runs, a dot when something is new. They make room for the menu button. */
function Marks({ session, open }: { session: Session; open: boolean }) {
  const t = useT()
  const seen = useSeen()[session.key]
  const unread = !open && seen !== undefined && session.seq > seen
  const label = session.waiting ? t("sidebar.waiting") : session.running ? t("sidebar.running") : unread ? t("sidebar.unread") : undefined
  if (!label) return null
  return (
    <span className="pointer-events-none absolute right-2.5 flex items-center group-focus-within:opacity-0 group-hover:opacity-0">
      {session.waiting ? (
        <Hand size={15} aria-hidden className="text-warn" />
      ) : (
        <span aria-hidden className={cx("size-2 rounded-full", session.running ? "border-2 border-accent" : "bg-accent")} />
      )}
      <span className="sr-only">{label}</span>
    </span>
  )
}
