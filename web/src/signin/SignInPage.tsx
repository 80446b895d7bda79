import { useMutation, useQuery } from "@tanstack/react-query"
import { useNavigate, useSearch } from "@tanstack/react-router"
import { lazy, Suspense, useEffect } from "react"

import { login, readSignInLink } from "../api/calls"
import { asProblem } from "../api/problem"
import { meQuery } from "../account/queries"
import { loginInfoQuery } from "../api/queries"
import { queryClient } from "../api/query-client"
import { useT } from "../i18n"
import { buttonLook } from "../ui/Button"
import { Note } from "../ui/Note"
import { Frame } from "./Frame"
import type { OtherLink } from "./OtherAccount"
import { PasswordForm } from "./PasswordForm"
import { hasToken, hideToken, problem, takeToken } from "./token"

const OtherAccount = lazy(() => import("./OtherAccount"))

/** Signs in. Returns a link of another account than the signed-in one instead, until the user has agreed to replace the login. */
async function enter(wanted: Parameters<typeof login>[0]): Promise<OtherLink | undefined> {
  try {
    await login(wanted)
    return undefined
  } catch (error) {
    if (!("token" in wanted) || asProblem(error).status !== 409) throw error
    const { user, signed_in: signedIn = "" } = await readSignInLink(wanted.token)
    return { token: wanted.token, user, signedIn }
  }
}

/** Signs in by the one-time link this page was opened with, or by name and password. */
export function SignInPage() {
  const t = useT()
  const info = useQuery(loginInfoQuery)
  const navigate = useNavigate()
  const { next } = useSearch({ from: "/login" })
  const attempt = useMutation({
    mutationFn: enter,
    onSuccess: async (other) => {
      if (other) return
      queryClient.removeQueries({ queryKey: meQuery.queryKey })
      await navigate({ to: next ?? "/", replace: true })
    },
  })
  const { mutate } = attempt
  useEffect(() => {
    const spend = () => {
      const token = takeToken()
      if (token) mutate({ token })
    }
    const onHash = () => {
      if (hideToken()) spend()
    }
    spend()
    window.addEventListener("hashchange", onHash)
    return () => window.removeEventListener("hashchange", onHash)
  }, [mutate])

  const byLink = attempt.variables !== undefined && "token" in attempt.variables
  const checking = hasToken() || (byLink && attempt.isPending)
  const other = attempt.data
  if (other) {
    return (
      <Suspense>
        <OtherAccount link={other} onReplace={() => mutate({ token: other.token, replace: true })} />
      </Suspense>
    )
  }
  const needsPassword = info.data?.needs_password ?? false
  const provider = info.data?.sign_on
  const told = attempt.isIdle ? problem() : undefined
  return (
    <Frame title={t("signin.title")}>
      <p role="status" className="mt-2 text-ink-2">
        {checking ? t("signin.checking") : info.data && t(needsPassword ? "signin.linkOrPassword" : "signin.byLink")}
      </p>
      {told && (
        <Note tone="danger" className="mt-6">
          {t(`signin.problem.${told}`)}
        </Note>
      )}
      {attempt.error && (
        <Note tone="danger" className="mt-6">
          {attempt.error.message}
        </Note>
      )}
      {info.error && (
        <Note tone="danger" className="mt-6">
          {info.error.message}
        </Note>
      )}
      {provider && !checking && (
        <a href={`/oidc/login${next ? `?next=${encodeURIComponent(next)}` : ""}`} className={buttonLook("plain", "mt-6 h-10 w-full")}>
          {t("signin.by", { name: provider })}
        </a>
      )}
      {needsPassword && !checking && <PasswordForm pending={attempt.isPending} onSubmit={mutate} />}
    </Frame>
  )
}
