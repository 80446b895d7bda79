import { useQuery } from "@tanstack/react-query"
import { useNavigate } from "@tanstack/react-router"

import { meQuery } from "../account/queries"
import { queryClient } from "../api/query-client"
import { useT } from "../i18n"
import { Frame } from "./Frame"
import { NewPasswordForm } from "./NewPasswordForm"

/** After the first sign-in by link: the person chooses a password. */
export function NewPasswordPage() {
  const t = useT()
  const navigate = useNavigate()
  const { data: me } = useQuery(meQuery)
  const name = me?.user.name ?? ""
  const done = async () => {
    await queryClient.query({ ...meQuery, staleTime: 0 })
    await navigate({ to: "/", replace: true })
  }
  return (
    <Frame title={t("password.title")}>
      <p className="mt-2 text-ink-2">{t("password.lead", { name })}</p>
      <NewPasswordForm username={name} onDone={() => void done()} />
    </Frame>
  )
}
