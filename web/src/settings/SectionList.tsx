import { Link } from "@tanstack/react-router"
import { ChevronRight } from "lucide-react"
import { lazy, Suspense } from "react"

import { useT } from "../i18n"
import { cx } from "../lib/cx"
import type { SettingsSection } from "./sections"

const InboxBadge = lazy(() => import("../services/inbox/Badge"))

interface Props {
  sections: SettingsSection[]
  /** Id of the one that is shown. */
  open?: string
  /** It stands beside the section rather than in its place. */
  narrow: boolean
}

/** The sections, in groups. */
export function SectionList({ sections, open, narrow }: Props) {
  const t = useT()
  return (
    <nav aria-label={t("settings.sections")} className={cx("overflow-y-auto px-3 py-4", narrow ? "w-52 shrink-0 border-r border-line" : "w-full")}>
      {(["yours", "installation"] as const).map((group) => (
        <section key={group} aria-labelledby={`settings-${group}`} className="mb-5">
          <h2 id={`settings-${group}`} className="mb-1 px-2.5 text-small text-ink-3">
            {t(`settings.${group}`)}
          </h2>
          <ul>
            {sections
              .filter((section) => section.group === group)
              .map(({ id, title }) => (
                <li key={id} className="relative">
                  <Link
                    to="/settings/{-$section}"
                    params={{ section: id }}
                    aria-current={id === open ? "page" : undefined}
                    className={cx(
                      "flex items-center rounded-md px-2.5 -outline-offset-2 hover:bg-hover hover:text-ink",
                      narrow ? "min-h-9" : "min-h-11",
                      id === open ? "bg-accent-soft font-medium text-accent" : "text-ink-2",
                    )}
                  >
                    <span className="min-w-0 flex-1">{t(title)}</span>
                    {!narrow && <ChevronRight size={16} aria-hidden className="text-ink-3" />}
                  </Link>
                  {id === "inbox" && (
                    <Suspense>
                      <InboxBadge />
                    </Suspense>
                  )}
                </li>
              ))}
          </ul>
        </section>
      ))}
    </nav>
  )
}
