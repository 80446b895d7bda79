import { useMutation, useQueryClient } from "@tanstack/react-query"
import { type SubmitEvent, useState } from "react"

import { saveService, type Service } from "../api/services"
import { useT } from "../i18n"
import { servicesWords } from "../i18n/services"
import { useTable } from "../i18n/table"
import { LazyMarkdown } from "../markdown/LazyMarkdown"
import { Area } from "../ui/Area"
import { Button } from "../ui/Button"
import { CheckField } from "../ui/CheckField"
import { Field } from "../ui/Field"
import { Note } from "../ui/Note"
import { bodyOf, CAPABILITIES, type Filled, LIMITS, lines, type PartProps, wrongNumber } from "./draft"
import { ModelFields } from "./ModelFields"
import { servicesQuery } from "./queries"

interface Props {
  /** The one that is changed; left out: a new one. */
  of?: Service
  begin: Filled
  /** Of what was filled in; 0: a new one. */
  revision: number
  onSaved: (service: Service) => void
  onCancel?: () => void
}

/** What a service is: who answers, what it reads and can do, what its page says, and how much of it there is. */
export function ServiceForm({ of, begin, revision, onSaved, onCancel }: Props) {
  const t = useT()
  const say = useTable(servicesWords)
  const client = useQueryClient()
  const [filled, setFilled] = useState(begin)
  const [tried, setTried] = useState(false)
  const set = (change: Partial<Filled>) => setFilled({ ...filled, ...change })
  const saving = useMutation({
    mutationFn: () => saveService(of?.id, bodyOf(filled, revision)),
    onSuccess: async (saved) => {
      await client.invalidateQueries({ queryKey: servicesQuery.queryKey })
      onSaved(saved)
    },
  })
  const unnamed = filled.name.trim() === ""
  const submit = (event: SubmitEvent) => {
    event.preventDefault()
    setTried(true)
    if (!unnamed && !wrongNumber(filled) && !saving.isPending) saving.mutate()
  }
  return (
    <form aria-label={say("about")} className="space-y-5" onSubmit={submit} noValidate autoComplete="off">
      <Field label={say("name")} hint={say("nameHint")} problem={tried && unnamed ? say("needName") : undefined} value={filled.name} maxLength={100} onChange={({ target }) => set({ name: target.value })} />
      <Area label={say("description")} hint={say("descriptionHint")} rows={2} limit={2000} value={filled.description} onValue={(description) => set({ description })} />
      <ModelFields of={of} filled={filled} set={set} />
      <Capabilities filled={filled} set={set} />
      <div className="grid gap-4 md:grid-cols-2">
        <Area label={say("docs")} hint={say("docsHint")} rows={3} value={filled.docs} onValue={(docs) => set({ docs })} />
        <Area label={say("scripts")} hint={say("scriptsHint")} rows={3} value={filled.scripts} onValue={(scripts) => set({ scripts })} />
      </div>
      <Greeting filled={filled} set={set} />
      <Area label={say("origins")} hint={say("originsHint")} rows={2} value={filled.origins} onValue={(origins) => set({ origins })} />
      <Limits filled={filled} set={set} tried={tried} />
      {!of && <CheckField label={say("publishNow")} checked={filled.published} onChange={(published) => set({ published })} />}
      {saving.error && <Note tone="danger">{saving.error.message}</Note>}
      <div className="flex flex-wrap justify-end gap-2">
        {onCancel && <Button look="quiet" onClick={onCancel}>{t("common.cancel")}</Button>}
        <Button type="submit" look="primary" aria-disabled={saving.isPending}>{say(saving.isPending ? "saving" : of ? "save" : "create")}</Button>
      </div>
    </form>
  )
}

function Capabilities({ filled: { can }, set }: PartProps) {
  const say = useTable(servicesWords)
  return (
    <fieldset className="space-y-2">
      <legend className="mb-1.5 font-medium">{say("can")}</legend>
      <p className="text-small text-ink-3">{say("always")}</p>
      {CAPABILITIES.map((one) => (
        <label key={one} className="flex items-start gap-2">
          <input
            type="checkbox"
            checked={can.includes(one)}
            onChange={({ target }) => set({ can: target.checked ? [...can, one] : can.filter((other) => other !== one) })}
            className="mt-1 size-4 shrink-0 accent-(--accent)"
          />
          <span className="min-w-0">
            {say(`can_${one}`)} <span className="block text-small text-ink-3">{say(`opens_${one}`)}</span>
          </span>
        </label>
      ))}
    </fieldset>
  )
}

/** What its page says first, with how that looks. */
function Greeting({ filled: { welcome, questions }, set }: PartProps) {
  const say = useTable(servicesWords)
  const offered = lines(questions)
  return (
    <>
      <Area label={say("welcome")} hint={say("welcomeHint")} rows={3} limit={2000} value={welcome} onValue={(text) => set({ welcome: text })} />
      <Area label={say("questions")} hint={say("questionsHint")} problem={offered.length > 10 ? say("questionsMany") : undefined} rows={3} limit={2200} value={questions} onValue={(text) => set({ questions: text })} />
      {(welcome.trim() !== "" || offered.length > 0) && (
        <section aria-label={say("preview")} className="space-y-3 rounded-md border border-line p-4">
          <p className="text-small text-ink-3">{say("preview")}</p>
          {welcome.trim() !== "" && <LazyMarkdown text={welcome} live={false} />}
          {offered.length > 0 && (
            <ul className="flex flex-wrap gap-2">
              {offered.slice(0, 10).map((question, n) => (
                <li key={n} className="max-w-full rounded-full border border-line-strong px-3 py-1 text-small break-words">{question}</li>
              ))}
            </ul>
          )}
        </section>
      )}
    </>
  )
}

function Limits({ filled, set, tried }: PartProps & { tried: boolean }) {
  const say = useTable(servicesWords)
  const wrong = tried ? wrongNumber(filled) : undefined
  return (
    <fieldset>
      <legend className="mb-2 font-medium">{say("limits")}</legend>
      <div className="grid gap-4 md:grid-cols-2">
        {LIMITS.map((one) => (
          <Field
            key={one}
            label={say(`limit_${one}`)}
            hint={say(`limit_${one}_hint`)}
            problem={wrong === one ? say("needNumber") : undefined}
            inputMode="numeric"
            value={filled[one]}
            maxLength={15}
            onChange={({ target }) => set({ [one]: target.value })}
          />
        ))}
      </div>
    </fieldset>
  )
}
