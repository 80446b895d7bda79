import { useMutation, useQueryClient } from "@tanstack/react-query"
import { type SubmitEvent, useState } from "react"

import { deleteToolKey, type KeyTried, saveToolKey, type ServiceName, type ToolKey, tryToolKey } from "../api/keys"
import { useT } from "../i18n"
import { duration } from "../i18n/format"
import { keysWords } from "../i18n/keys"
import { useTable } from "../i18n/table"
import { Button } from "../ui/Button"
import { Field, PasswordField } from "../ui/Field"
import { Note } from "../ui/Note"
import { Select } from "../ui/Select"
import { toast } from "../ui/toasts"
import { keysQuery } from "./queries"

interface Props {
  name: ServiceName
  /** Whose APIs the service can be reached by, the default one first; none: one alone. */
  providers: string[]
  /** What is stored for the service: the person's own, and for administrators the installation's. */
  keys: ToolKey[]
  admin: boolean
  onDone: () => void
}

type Scope = "shared" | "mine"

/** Whose key of a service is filled in, and the fields of it. */
export function KeyForm({ admin, keys, ...rest }: Props) {
  const say = useTable(keysWords)
  const [scope, setScope] = useState<Scope>(admin ? "shared" : "mine")
  const stored = keys.find(({ shared }) => shared === (scope === "shared"))
  return (
    <div className="mt-3 space-y-4">
      {admin && <Select<Scope> label={say("whose")} value={scope} options={["shared", "mine"]} say={say} onChange={setScope} />}
      <Fields key={`${scope} ${stored?.revision}`} shared={scope === "shared"} stored={stored} {...rest} />
    </div>
  )
}

const common = { autoCapitalize: "none", spellCheck: false }

interface FieldsProps {
  name: ServiceName
  providers: string[]
  shared: boolean
  stored?: ToolKey
  onDone: () => void
}

function Fields({ name, providers, shared, stored, onDone }: FieldsProps) {
  const t = useT()
  const say = useTable(keysWords)
  const client = useQueryClient()
  const [key, setKey] = useState("")
  const [base_url, setAddress] = useState(stored?.base_url ?? "")
  const [model, setModel] = useState(stored?.model ?? "")
  const [provider, setProvider] = useState(stored?.provider || (providers[0] ?? ""))
  const [price, setPrice] = useState(stored?.price?.toString() ?? "")
  const amount = Number(price.replace(",", "."))
  const wrongPrice = price.trim() !== "" && !(amount >= 0)
  const draft = {
    shared, key, base_url, model, revision: stored?.revision ?? 0,
    ...(providers.length > 0 && { provider, price: price.trim() === "" || wrongPrice ? undefined : amount }),
  }
  const onSuccess = async () => {
    await client.invalidateQueries({ queryKey: keysQuery.queryKey })
    onDone()
  }
  const trial = useMutation({ mutationFn: () => tryToolKey(name, draft) })
  const saving = useMutation({ mutationFn: () => saveToolKey(name, draft), onSuccess: () => onSuccess().then(() => toast(say("saved", { name: say(name) }))) })
  const removal = useMutation({ mutationFn: () => deleteToolKey(name, shared), onSuccess })
  const failure = saving.error ?? trial.error ?? removal.error
  const act = ({ mutate }: { mutate: () => void }) => {
    for (const { reset } of [trial, saving, removal]) reset() // what was said before is about something else
    mutate()
  }
  const submit = (event: SubmitEvent) => {
    event.preventDefault()
    if (!wrongPrice) act(saving)
  }
  return (
    <form className="space-y-4" onSubmit={submit} noValidate autoComplete="off">
      {providers.length > 0 && <Select label={say("provider")} value={provider} options={providers} say={(one) => say(providerWord(one))} onChange={setProvider} />}
      <div className="grid gap-4 md:grid-cols-2">
        {name !== "searxng" && (
          <PasswordField
            label={say("keyField")}
            hint={say(stored?.key_hint ? "keyKept" : "keyHint")}
            placeholder={stored?.key_hint}
            value={key}
            onChange={(event) => setKey(event.target.value)}
            autoComplete="new-password"
            maxLength={4096}
            {...common}
          />
        )}
        <Field label={say("address")} hint={say(addressHint(name, provider))} value={base_url} onChange={(event) => setAddress(event.target.value)} type="url" autoComplete="off" maxLength={512} {...common} />
        {compatible(name) && (
          <Field label={say("model")} hint={say("modelHint")} value={model} onChange={(event) => setModel(event.target.value)} autoComplete="off" maxLength={128} {...common} />
        )}
        {providers.length > 0 && (
          <Field
            label={say("price")}
            hint={say(`price_${name as MediaName}`)}
            problem={wrongPrice ? say("needPrice") : undefined}
            inputMode="decimal"
            value={price}
            onChange={(event) => setPrice(event.target.value)}
            autoComplete="off"
            maxLength={12}
          />
        )}
      </div>
      {failure ? <Note tone="danger">{failure.message}</Note> : trial.data && <Result tried={trial.data} />}
      <div className="flex flex-wrap justify-end gap-2">
        {stored && (
          <Button look="quiet" onClick={() => act(removal)}>
            {say("remove")}
          </Button>
        )}
        <Button look="quiet" onClick={onDone}>
          {t("common.cancel")}
        </Button>
        <Button aria-disabled={trial.isPending} onClick={() => act(trial)}>
          {say(trial.isPending ? "testing" : "test")}
        </Button>
        <Button type="submit" look="primary" aria-disabled={saving.isPending}>
          {say("save")}
        </Button>
      </div>
    </form>
  )
}

/** What the test has shown. */
function Result({ tried: { passed, untested, problem, ms } }: { tried: KeyTried }) {
  const t = useT()
  const say = useTable(keysWords)
  if (passed) return <Note tone="plain">{say("passed", { time: duration(t, ms) })}</Note>
  if (untested) return <Note tone="plain">{problem}</Note>
  return <Note tone="danger">{say("failed", { problem: problem ?? "" })}</Note>
}

const compatible = (name: ServiceName) => !["tavily", "cloudsway", "searxng"].includes(name)

type MediaName = "image" | "speech" | "video"

const addressHint = (name: ServiceName, provider: string) => {
  if (name === "searxng") return "addressServer"
  if (name === "video" && provider === "openai") return "addressVideo"
  return compatible(name) && (provider === "" || provider === "openai") ? "addressCompatible" : "addressOwn"
}

const known = ["openai", "gemini", "dashscope", "elevenlabs", "minimax"] as const

/** The word for a provider; one that this page does not know yet has the word of compatible services. */
const providerWord = (name: string) => `provider_${known.find((one) => one === name) ?? "openai"}` as const
