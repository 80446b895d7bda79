import { useSuspenseQuery } from "@tanstack/react-query"
import { Outlet, useLocation } from "@tanstack/react-router"
import { lazy, Suspense, useEffect, useMemo, useRef, useState } from "react"

import { AccountContext, openOutbox } from "../account/account"
import { meQuery } from "../account/queries"
import { useT } from "../i18n"
import { useNotify } from "../notify/setting"
import { Sidebar } from "../sidebar/Sidebar"
import { type Front, ShellContext } from "../ui/shell-context"
import { Toasts } from "../ui/Toasts"
import { useHasSidebar } from "../ui/useMedia"
import { useShortcuts } from "./useShortcuts"

const fronts = {
  help: lazy(() => import("./HelpDialog")),
  password: lazy(() => import("../signin/PasswordDialog")),
  tokens: lazy(() => import("../account/TokensDialog")),
  memory: lazy(() => import("../memory/MemoryDialog")),
  usage: lazy(() => import("../usage/UsageDialog")),
}
const Watcher = lazy(() => import("../notify/Watcher"))
const Sheet = lazy(() => import("../ui/Sheet"))

/** The one screen: conversations at the left, the open one beside them. On a phone the list slides over. */
export function Shell() {
  const t = useT()
  const { data: me } = useSuspenseQuery(meQuery)
  const account = useMemo(() => ({ me, outbox: openOutbox(me.user.id) }), [me])
  const hasSidebar = useHasSidebar()
  const [front, setFront] = useState<Front>()
  const FrontDialog = front && fronts[front]
  const { pathname, href } = useLocation()
  const [sidebarAt, setSidebarAt] = useState<string>() // where it was opened: going elsewhere closes it
  const before = useRef("/")
  useEffect(() => {
    if (!/^\/settings(\/|$)/.test(pathname)) before.current = href
  }, [pathname, href])
  const shell = useMemo(
    () => ({ showSidebar: () => setSidebarAt(pathname), show: setFront, hasSidebar, before: () => before.current }),
    [hasSidebar, pathname],
  )
  useShortcuts(shell)
  const notify = useNotify()
  return (
    <AccountContext value={account}>
      <ShellContext value={shell}>
        <a
          href="#main"
          className="absolute top-2 left-2 z-50 -translate-y-16 rounded-md bg-ink px-3 py-2 text-canvas focus:translate-y-0"
          onClick={(event) => {
            event.preventDefault()
            document.querySelector<HTMLElement>("#main")?.focus()
          }}
        >
          {t("app.skip")}
        </a>
        <div className="flex h-full">
          {hasSidebar ? (
            <nav aria-label={t("sidebar.label")} className="h-full w-68 shrink-0 border-r border-line bg-raised">
              <Sidebar />
            </nav>
          ) : (
            <Suspense>
              <Sheet open={sidebarAt === pathname} onOpenChange={() => setSidebarAt(undefined)} side="left" label={t("sidebar.label")}>
                <nav aria-label={t("sidebar.label")} className="h-full">
                  <Sidebar />
                </nav>
              </Sheet>
            </Suspense>
          )}
          <Outlet />
        </div>
        <Suspense>{FrontDialog && <FrontDialog onClose={() => setFront(undefined)} />}</Suspense>
        <Suspense>{notify && <Watcher />}</Suspense>
        <Toasts />
      </ShellContext>
    </AccountContext>
  )
}
