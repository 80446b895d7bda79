import type { SubmitEvent } from "react"

import { useT } from "../i18n"
import { Button } from "../ui/Button"
import { Field, PasswordField } from "../ui/Field"

interface Props {
  pending: boolean
  onSubmit: (credentials: { username: string; password: string }) => void
}

export function PasswordForm({ pending, onSubmit }: Props) {
  const t = useT()
  const submit = (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault()
    const form = new FormData(event.currentTarget)
    if (!pending) onSubmit({ username: text(form, "username").trim(), password: text(form, "password") })
  }
  return (
    <form className="mt-6 space-y-4" onSubmit={submit}>
      <Field label={t("signin.username")} name="username" autoComplete="username" autoCapitalize="none" spellCheck={false} required autoFocus />
      <PasswordField label={t("signin.password")} name="password" autoComplete="current-password" required />
      <Button type="submit" look="primary" className="h-10 w-full" aria-disabled={pending}>
        {pending ? t("signin.submitting") : t("signin.submit")}
      </Button>
    </form>
  )
}

function text(form: FormData, name: string): string {
  const value = form.get(name)
  return typeof value === "string" ? value : ""
}
