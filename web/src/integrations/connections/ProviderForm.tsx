import { useMutation, useQueryClient } from "@tanstack/react-query"
import { type SubmitEvent, useState } from "react"

import { type OAuthProvider, saveOAuthProvider } from "../../api/connections"
import { useT } from "../../i18n"
import { connectionsWords } from "../../i18n/connections"
import { useTable } from "../../i18n/table"
import { Button } from "../../ui/Button"
import { Field, PasswordField } from "../../ui/Field"
import { Note } from "../../ui/Note"
import { Select } from "../../ui/Select"
import { toast } from "../../ui/toasts"
import { accountsQuery } from "./queries"

const common = { autoCapitalize: "none", autoComplete: "off", spellCheck: false }

const nothing = {
  id: "", name: "", issuer: "", authorize_url: "", token_url: "", revoke_url: "", account_url: "", scopes: "", more_scopes: "", client_id: "", client_secret: "", client_auth: "body" as "body" | "header", enabled: true,
}

type Filled = typeof nothing
type TextOf = Exclude<keyof Filled, "enabled" | "client_auth" | "client_secret">

const filledFrom = ({ scopes, more_scopes, ...rest }: OAuthProvider): Filled => ({
  ...nothing,
  ...Object.fromEntries(Object.entries(rest).filter(([name]) => name in nothing)),
  scopes: (scopes ?? []).join(" "),
  more_scopes: (more_scopes ?? []).join(" "),
})

const words = (text: string) => text.split(/[\s,]+/).filter((word) => word !== "")

/** What a provider is: how it is reached, and what xbot is there. */
export function ProviderForm({ stored, onDone }: { stored?: OAuthProvider; onDone: () => void }) {
  const t = useT()
  const say = useTable(connectionsWords)
  const client = useQueryClient()
  const [filled, setFilled] = useState<Filled>(stored ? filledFrom(stored) : nothing)
  const set = (change: Partial<Filled>) => setFilled({ ...filled, ...change })
  const saving = useMutation({
    mutationFn: () => {
      const { id, scopes, more_scopes, ...rest } = filled
      return saveOAuthProvider(id.trim(), { ...rest, scopes: words(scopes), more_scopes: words(more_scopes), revision: stored?.revision ?? 0 })
    },
    onSuccess: async ({ name }) => {
      await client.invalidateQueries({ queryKey: accountsQuery.queryKey })
      toast(say("saved", { name }))
      onDone()
    },
  })
  const submit = (event: SubmitEvent) => {
    event.preventDefault()
    if (!saving.isPending) saving.mutate()
  }
  const field = (name: TextOf, hint?: "idHint" | "authorizeHint" | "accountHint" | "revokeHint" | "issuerHint" | "scopesHint" | "moreHint", type = "text") => (
    <Field label={say(name === "scopes" ? "scopes_field" : name)} hint={hint && say(hint)} type={type} value={filled[name]} onChange={({ target }) => set({ [name]: target.value })} maxLength={2048} {...common} />
  )
  return (
    <form className="space-y-4" aria-label={stored ? say("editLabel", { name: stored.name }) : say("add")} onSubmit={submit} noValidate autoComplete="off">
      <div className="grid gap-4 sm:grid-cols-2">
        {!stored && field("id", "idHint")}
        {field("name")}
        {field("authorize_url", "authorizeHint", "url")}
        {field("token_url", undefined, "url")}
        {field("revoke_url", "revokeHint", "url")}
        {field("account_url", "accountHint", "url")}
        {field("client_id")}
        <PasswordField
          label={say("client_secret")}
          hint={say(stored?.secret ? "secretKept" : "secretHint")}
          value={filled.client_secret}
          onChange={({ target }) => set({ client_secret: target.value })}
          maxLength={4096}
          {...common}
          autoComplete="new-password"
        />
        <Select<"body" | "header"> label={say("client_auth")} value={filled.client_auth} options={["body", "header"]} say={say} onChange={(client_auth) => set({ client_auth })} />
        {field("issuer", "issuerHint")}
        {field("scopes", "scopesHint")}
        {field("more_scopes", "moreHint")}
      </div>
      <label className="flex items-center gap-2.5">
        <input type="checkbox" className="size-4 accent-accent" checked={filled.enabled} onChange={({ target }) => set({ enabled: target.checked })} />
        {say("enabled")}
      </label>
      {saving.error && <Note tone="danger">{saving.error.message}</Note>}
      <div className="flex flex-wrap justify-end gap-2">
        <Button look="quiet" onClick={onDone}>{t("common.cancel")}</Button>
        <Button type="submit" look="primary" aria-disabled={saving.isPending}>{say("save")}</Button>
      </div>
    </form>
  )
}
