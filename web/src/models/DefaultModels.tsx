import { useMutation, useQuery } from "@tanstack/react-query"

import { chooseModels, type ModelChoiceChange } from "../api/models"
import { modelsQuery } from "../api/queries"
import { modelsWords } from "../i18n/models"
import { useTable } from "../i18n/table"
import { Note } from "../ui/Note"
import { Section } from "../ui/Section"
import { Select } from "../ui/Select"
import { choiceQuery, useRefresh } from "./queries"

const tiers = ["vanguard", "balance", "swift"] as const

/** The models that a person chose for all their conversations. A choice is in force for the next step. */
export function DefaultModels() {
  const say = useTable(modelsWords)
  const refresh = useRefresh()
  const { data: choice, error } = useQuery(choiceQuery)
  const { data: catalogue } = useQuery(modelsQuery)
  const change = useMutation({ mutationFn: chooseModels, onSuccess: refresh })
  const failed = change.error ?? (choice ? null : error)
  const pending: ModelChoiceChange = change.isPending ? change.variables : {} // what was just chosen is shown at once
  const known = catalogue?.models.filter(({ available }) => available).map(({ id }) => id) ?? []
  const usual = pending.model ?? choice?.model ?? ""
  return (
    <Section title={say("who")}>
      {failed && <Note tone="danger" className="mb-3">{failed.message}</Note>}
      {choice && (
        <>
          <Select
            label={say("usual")}
            value={usual}
            options={optionsWith(known, usual)}
            say={(id) => id || (choice.model === "" ? say("installationIs", { model: choice.usual }) : say("installation"))}
            onChange={(model) => change.mutate({ model })}
          />
          <p className="mt-1.5 text-small text-ink-3">{say("usualHint")}</p>
          <details className="mt-3">
            <summary className="cursor-pointer text-ink-2">{say("tiers")}</summary>
            <p className="mt-2 text-small text-ink-3">{say("tiersLead")}</p>
            <div className="mt-3 space-y-3">
              {tiers.map((tier) => {
                const chosen = pending[tier] ?? choice.tiers[tier] ?? ""
                return (
                  <Select
                    key={tier}
                    label={say(tier)}
                    value={chosen}
                    options={optionsWith(known, chosen)}
                    say={(id) => id || say("installation")}
                    onChange={(model) => change.mutate({ [tier]: model })}
                  />
                )
              })}
            </div>
          </details>
        </>
      )}
    </Section>
  )
}

/** The installation's first; what was chosen also when it is not there any more. */
const optionsWith = (known: string[], chosen: string): string[] => ["", ...(chosen === "" || known.includes(chosen) ? [] : [chosen]), ...known]
