import { type ErrorComponentProps, Link, useRouter } from "@tanstack/react-router"
import { useEffect } from "react"

import { onReturn } from "../api/backoff"
import { asProblem } from "../api/problem"
import { useT } from "../i18n"
import { Button } from "./Button"
import { Logo } from "./Logo"

/** Milliseconds between two attempts to open the page while the server cannot be reached. */
const RETRY_EVERY = 2000

export function LoadingPage() {
  const t = useT()
  return (
    <main className="grid h-full place-items-center text-ink-3">
      <p role="status">{t("app.loading")}</p>
    </main>
  )
}

export function MissingPage() {
  const t = useT()
  return (
    <main className="grid h-full place-content-center justify-items-center gap-4 p-6 text-center">
      <Logo size={36} />
      <p>{t("app.notFound")}</p>
      <Link to="/" className="text-accent underline underline-offset-4">
        {t("app.home")}
      </Link>
    </main>
  )
}

/** Shown in place of a page that could not be opened. While the server is away it tries again by itself. */
export function BrokenPage({ error, reset }: ErrorComponentProps) {
  const t = useT()
  const router = useRouter()
  const problem = asProblem(error)
  const away = problem.passing
  useEffect(() => {
    if (!away) return
    const again = () => {
      reset()
      void router.invalidate()
    }
    const timer = setInterval(again, RETRY_EVERY)
    const stopReturn = onReturn(again)
    return () => {
      clearInterval(timer)
      stopReturn()
    }
  }, [away, reset, router])
  return (
    <main className="grid h-full place-content-center justify-items-center gap-4 p-6 text-center">
      <Logo size={36} />
      <p role="alert">{away ? t("app.unreachable") : t("app.broken")}</p>
      {!away && <p className="max-w-96 text-small break-words text-ink-3">{problem.message}</p>}
      {!away && <Button onClick={() => location.reload()}>{t("app.reload")}</Button>}
    </main>
  )
}
