import { useMutation } from "@tanstack/react-query"
import { useNavigate } from "@tanstack/react-router"
import { type SubmitEvent, useState } from "react"

import { join } from "../api/people"
import { meQuery } from "../account/queries"
import { queryClient } from "../api/query-client"
import { useT } from "../i18n"
import { accountsWords } from "../i18n/accounts"
import { useTable } from "../i18n/table"
import { Button } from "../ui/Button"
import { Field, PasswordField } from "../ui/Field"
import { Note } from "../ui/Note"
import { Frame } from "./Frame"
import { heldToken } from "./token"

/** Where somebody who was invited makes an account. */
export default function JoinPage() {
  const t = useT()
  const say = useTable(accountsWords)
  const navigate = useNavigate()
  const token = heldToken()
  const [username, setName] = useState("")
  const [password, setPassword] = useState("")
  const { mutate, isPending, error } = useMutation({
    mutationFn: join,
    onSuccess: async () => {
      queryClient.removeQueries({ queryKey: meQuery.queryKey })
      await navigate({ to: "/", replace: true })
    },
  })
  const submit = (event: SubmitEvent) => {
    event.preventDefault()
    if (token && !isPending) mutate({ token, username: username.trim(), password })
  }
  return (
    <Frame title={say("joinTitle")}>
      <p className="mt-2 text-ink-2">{say(token ? "joinLead" : "joinNothing")}</p>
      {token && (
        <form className="mt-6 space-y-4" onSubmit={submit}>
          <Field
            label={say("joinName")}
            name="username"
            autoComplete="username"
            autoCapitalize="none"
            spellCheck={false}
            value={username}
            onChange={({ target }) => setName(target.value)}
            minLength={2}
            maxLength={64}
            required
            autoFocus
          />
          <PasswordField
            label={t("signin.password")}
            hint={t("password.hint")}
            autoComplete="new-password"
            value={password}
            onChange={({ target }) => setPassword(target.value)}
            minLength={10}
            required
          />
          {error && <Note tone="danger">{error.message}</Note>}
          <Button type="submit" look="primary" className="h-10 w-full" aria-disabled={isPending}>
            {isPending ? say("joining") : say("join")}
          </Button>
        </form>
      )}
    </Frame>
  )
}
