import { useMutation } from "@tanstack/react-query"
import { type SubmitEvent, useState } from "react"

import { setPassword } from "../api/calls"
import { useT } from "../i18n"
import { Button } from "../ui/Button"
import { PasswordField } from "../ui/Field"
import { Note } from "../ui/Note"

/** Characters a password needs; the server asks for the same. */
const SHORTEST = 10

interface Props {
  username: string
  /** Ask for the current password first. */
  change?: boolean
  onDone: () => void
}

export function NewPasswordForm({ username, change = false, onDone }: Props) {
  const t = useT()
  const [current, setCurrent] = useState("")
  const [password, setNext] = useState("")
  const [revoke, setRevoke] = useState(true)
  const [tooShort, setTooShort] = useState(false)
  const saving = useMutation({ mutationFn: setPassword, onSuccess: onDone })
  const submit = (event: SubmitEvent) => {
    event.preventDefault()
    const short = Array.from(password).length < SHORTEST
    setTooShort(short)
    if (!short && !saving.isPending) saving.mutate(change ? { password, current, revoke_tokens: revoke } : { password })
  }
  return (
    <form className="mt-6 space-y-4" onSubmit={submit} noValidate>
      {/* Password managers file the new password under this name. */}
      <input type="text" name="username" autoComplete="username" value={username} readOnly hidden />
      {change && (
        <PasswordField
          label={t("password.current")}
          autoComplete="current-password"
          value={current}
          onChange={(event) => setCurrent(event.target.value)}
        />
      )}
      <PasswordField
        label={t("password.new")}
        hint={t("password.hint")}
        problem={tooShort ? t("password.tooShort") : undefined}
        autoComplete="new-password"
        autoFocus={!change}
        value={password}
        onChange={(event) => {
          setNext(event.target.value)
          setTooShort(false)
        }}
      />
      {change && (
        <label className="flex items-start gap-2">
          <input type="checkbox" className="mt-1 size-4 accent-accent" checked={revoke} onChange={({ target }) => setRevoke(target.checked)} />
          <span>
            {t("password.revoke")}
            <span className="block text-small text-ink-3">{t("password.revokeHint")}</span>
          </span>
        </label>
      )}
      {saving.error && <Note tone="danger">{saving.error.message}</Note>}
      <Button type="submit" look="primary" className="h-10 w-full" aria-disabled={saving.isPending}>
        {saving.isPending ? t("password.submitting") : t("password.submit")}
      </Button>
    </form>
  )
}
