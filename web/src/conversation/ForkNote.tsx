import { Link } from "@tanstack/react-router"
import { useQuery } from "@tanstack/react-query"
import { GitFork } from "lucide-react"

import { sessionsQuery } from "../api/queries"
import { useT } from "../i18n"

/** Says where a conversation was copied from. The original may be gone: then there is no way to it. */
export function ForkNote({ of }: { of: string }) {
  const t = useT()
  const { data } = useQuery(sessionsQuery(""))
  const origin = data?.find((session) => session.key === of)
  return (
    <p className="flex items-center justify-center gap-2 text-small text-ink-3">
      <GitFork size={14} aria-hidden className="shrink-0" />
      <span className="min-w-0 break-words">
        {t("fork.of")}{" "}
        {origin ? (
          <Link to="/c/$key" params={{ key: of }} className="underline underline-offset-3 hover:text-ink">
            {origin.title || t("session.untitled")}
          </Link>
        ) : (
          t("fork.gone")
        )}
      </span>
    </p>
  )
}
