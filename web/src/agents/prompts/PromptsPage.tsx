import { useQuery } from "@tanstack/react-query"
import { useState } from "react"

import type { Prompt } from "../../api/prompts"
import { promptWords } from "../../i18n/prompts"
import { useTable } from "../../i18n/table"
import { Button } from "../../ui/Button"
import { Pending } from "../../ui/Pending"
import { nameOf } from "./names"
import { PromptEditor } from "./PromptEditor"
import { promptsQuery } from "./queries"

/** What models read before a person's conversations, as far as they can change it: the system prompt, and words of capabilities. */
export default function PromptsPage() {
  const say = useTable(promptWords)
  const { data, error } = useQuery(promptsQuery)
  if (!data) return <Pending error={error} />
  const [system, ...capabilities] = data
  return (
    <div className="space-y-8">
      <p className="text-ink-2">{say("lead")}</p>
      {system && (
        <section aria-label={say("system")} className="space-y-3">
          <Title prompt={system} />
          <PromptEditor prompt={system} />
        </section>
      )}
      <section aria-label={say("capabilities")}>
        <h3 className="font-semibold">{say("capabilities")}</h3>
        <p className="mt-1 text-small text-ink-2">{say("capabilitiesLead")}</p>
        <ul aria-label={say("capabilities")} className="mt-2 divide-y divide-line">
          {capabilities.map((prompt) => (
            <Capability key={prompt.section} prompt={prompt} />
          ))}
        </ul>
      </section>
    </div>
  )
}

function Title({ prompt }: { prompt: Prompt }) {
  const say = useTable(promptWords)
  return (
    <h3 className="flex flex-wrap items-baseline gap-x-2 font-semibold">
      {nameOf(say, prompt.section)}
      {prompt.is_custom && <span className="text-small font-normal text-accent">{say("custom")}</span>}
    </h3>
  )
}

function Capability({ prompt }: { prompt: Prompt }) {
  const say = useTable(promptWords)
  const [open, setOpen] = useState(false)
  const name = nameOf(say, prompt.section)
  return (
    <li aria-label={name} className="space-y-3 py-3">
      <div className="flex items-start gap-3">
        <div className="min-w-0 flex-1">
          <p className="flex flex-wrap items-baseline gap-x-2">
            <span className="font-medium">{name}</span>
            {prompt.is_custom && <span className="text-small text-accent">{say("custom")}</span>}
          </p>
          {!open && <p className="line-clamp-2 text-small break-words text-ink-2">{prompt.value}</p>}
        </div>
        <Button look="quiet" aria-label={open ? undefined : say("editLabel", { name })} aria-expanded={open} onClick={() => setOpen(!open)}>
          {say(open ? "close" : "edit")}
        </Button>
      </div>
      {open && <PromptEditor prompt={prompt} />}
    </li>
  )
}
