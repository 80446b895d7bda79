import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query"
import { Trash2 } from "lucide-react"
import { type SubmitEvent, useState } from "react"

import { createToken, deleteToken } from "../api/calls"
import { tokensQuery } from "../api/queries"
import type { Token } from "../api/types"
import { useLanguage, useT } from "../i18n"
import { moment } from "../i18n/format"
import { Button } from "../ui/Button"
import { CopyButton } from "../ui/CopyButton"
import { Field } from "../ui/Field"
import { IconButton } from "../ui/IconButton"
import { Note } from "../ui/Note"
import { Select } from "../ui/Select"

const scopes: Token["scope"][] = ["administration", "chat", "read"]

/** Days that a token is good; 0: until it is revoked. */
const lives = [0, 7, 30, 90, 365]

/** The tokens by which programs act for the person. */
export function Tokens() {
  const t = useT()
  return (
    <>
      <p className="text-ink-2">{t("tokens.lead")}</p>
      <NewToken />
      <TokenList />
    </>
  )
}

function NewToken() {
  const t = useT()
  const client = useQueryClient()
  const [name, setName] = useState("")
  const [scope, setScope] = useState<Token["scope"]>("administration")
  const [days, setDays] = useState(0)
  const creation = useMutation({
    mutationFn: createToken,
    onSuccess: async () => {
      setName("")
      await client.invalidateQueries(tokensQuery)
    },
  })
  const submit = (event: SubmitEvent) => {
    event.preventDefault()
    if (name.trim() !== "" && !creation.isPending) creation.mutate({ name: name.trim(), scope, days })
  }
  return (
    <>
      <form className="mt-4 flex flex-wrap items-end gap-2" onSubmit={submit}>
        <Field className="min-w-0 flex-1" label={t("tokens.name")} value={name} onChange={(event) => setName(event.target.value)} maxLength={100} required />
        <Select label={t("tokens.scope")} value={scope} options={scopes} say={(option) => t(`tokens.scope.${option}`)} onChange={setScope} />
        <Select label={t("tokens.days")} value={days} options={lives} say={(option) => (option === 0 ? t("tokens.forever") : t("tokens.forDays", { days: option }))} onChange={setDays} />
        <Button type="submit" look="primary" className="h-10" aria-disabled={creation.isPending}>
          {creation.isPending ? t("tokens.creating") : t("tokens.create")}
        </Button>
      </form>
      {creation.error && <Note tone="danger" className="mt-3">{creation.error.message}</Note>}
      {creation.data && (
        <Note tone="plain" className="mt-3">
          <p>{t("tokens.once")}</p>
          <div className="mt-1 flex items-center gap-2">
            <code className="min-w-0 flex-1 font-mono text-small break-all text-ink select-all">{creation.data.token}</code>
            <CopyButton text={creation.data.token} label={t("common.copy")} />
          </div>
        </Note>
      )}
    </>
  )
}

function TokenList() {
  const t = useT()
  const { data, error } = useQuery(tokensQuery)
  if (error) return <Note tone="danger" className="mt-4">{error.message}</Note>
  if (data?.length === 0) return <p className="mt-6 text-ink-3">{t("tokens.none")}</p>
  return (
    <ul className="mt-4 divide-y divide-line">
      {data?.map((token) => <TokenRow key={token.id} token={token} />)}
    </ul>
  )
}

function TokenRow({ token }: { token: Token }) {
  const t = useT()
  const language = useLanguage()
  const client = useQueryClient()
  const removal = useMutation({ mutationFn: deleteToken, onSuccess: () => client.invalidateQueries(tokensQuery) })
  return (
    <li className="flex items-center gap-3 py-2">
      <span className="min-w-0 flex-1">
        <span className="block truncate">{token.name}</span>
        {token.created_at && (
          <span className="block text-small text-ink-3">
            {t(`tokens.scope.${token.scope}`)} · {t("tokens.created", { date: moment(language, token.created_at) })}
            {token.expires_at && ` · ${t("tokens.until", { date: moment(language, token.expires_at) })}`}
          </span>
        )}
        {removal.error && <span className="block text-small text-danger">{removal.error.message}</span>}
      </span>
      <IconButton small label={t("tokens.revoke", { name: token.name })} onClick={() => removal.mutate(token.id)}>
        <Trash2 size={15} aria-hidden />
      </IconButton>
    </li>
  )
}
