import { useMutation, useQueryClient } from "@tanstack/react-query"
import { type SubmitEvent, useState } from "react"

import { deleteTraceTarget, saveTraceTarget, testTraceTarget, type TraceTarget, type TraceTargetTested } from "../../api/tracing"
import { useT } from "../../i18n"
import { duration } from "../../i18n/format"
import { useTable } from "../../i18n/table"
import { tracingWords } from "../../i18n/tracing"
import { Button } from "../../ui/Button"
import { CheckField } from "../../ui/CheckField"
import { Field, PasswordField } from "../../ui/Field"
import { Note } from "../../ui/Note"
import { toast } from "../../ui/toasts"

const common = { autoCapitalize: "none", spellCheck: false }

interface Props {
  target: TraceTarget
  onDone: () => void
}

/** The configuration of a target. One of the environment fills in what it may. */
export function TargetForm({ target, onDone }: Props) {
  const t = useT()
  const say = useTable(tracingWords)
  const client = useQueryClient()
  const { name, revision } = target
  const langfuse = name === "langfuse"
  const [enabled, setEnabled] = useState(target.source === undefined || target.enabled)
  const [endpoint, setEndpoint] = useState(target.endpoint ?? "")
  const [public_key, setPublicKey] = useState(target.public_key ?? "")
  const [secret, setSecret] = useState("")
  const [content, setContent] = useState(target.content)
  const draft = { enabled, endpoint, secret, content, revision, public_key: langfuse ? public_key : "" }
  const kept = revision > 0 && target.key_hint !== undefined
  const onSuccess = async () => {
    await client.invalidateQueries({ queryKey: ["trace targets"] })
    onDone()
  }
  const trial = useMutation({ mutationFn: () => testTraceTarget(name, draft) })
  const saving = useMutation({ mutationFn: () => saveTraceTarget(name, draft), onSuccess: () => onSuccess().then(() => toast(say("saved", { name: say(name) }))) })
  const removal = useMutation({ mutationFn: () => deleteTraceTarget(name), onSuccess })
  const failure = saving.error ?? trial.error ?? removal.error
  const act = ({ mutate }: { mutate: () => void }) => {
    for (const { reset } of [trial, saving, removal]) reset() // earlier results are about another draft
    mutate()
  }
  const submit = (event: SubmitEvent) => {
    event.preventDefault()
    act(saving)
  }
  return (
    <form className="mt-3 space-y-4" onSubmit={submit} noValidate autoComplete="off">
      <CheckField label={say("enabled")} checked={enabled} onChange={setEnabled} />
      <div className="grid gap-4 md:grid-cols-2">
        <Field
          label={say("address")}
          hint={say(langfuse ? "langfuseAddress" : "otlpAddress")}
          value={endpoint}
          onChange={(event) => setEndpoint(event.target.value)}
          type="url"
          autoComplete="off"
          maxLength={512}
          {...common}
        />
        {langfuse && (
          <Field label={say("publicKey")} value={public_key} onChange={(event) => setPublicKey(event.target.value)} autoComplete="off" maxLength={512} {...common} />
        )}
        <PasswordField
          label={say(langfuse ? "secretKey" : "headers")}
          hint={say(kept ? "secretKept" : langfuse ? "secretHint" : "headersHint")}
          placeholder={kept ? target.key_hint : undefined}
          value={secret}
          onChange={(event) => setSecret(event.target.value)}
          autoComplete="new-password"
          maxLength={4096}
          {...common}
        />
      </div>
      <CheckField label={say("content")} checked={content} onChange={setContent} />
      {failure ? <Note tone="danger">{failure.message}</Note> : trial.data && <Result tested={trial.data} />}
      <div className="flex flex-wrap justify-end gap-2">
        {revision > 0 && (
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

/** The result of the test. */
function Result({ tested: { passed, problem, ms } }: { tested: TraceTargetTested }) {
  const t = useT()
  const say = useTable(tracingWords)
  if (passed) return <Note tone="plain">{say("passed", { time: duration(t, ms) })}</Note>
  return <Note tone="danger">{say("failed", { problem: problem ?? "" })}</Note>
}
