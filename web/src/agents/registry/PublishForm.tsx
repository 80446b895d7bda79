import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query"
import { Upload } from "lucide-react"
import { useRef, useState } from "react"

import { type Entry, publishFile, publishRole, type Visibility } from "../../api/registry"
import { type RegistryWord, registryWords } from "../../i18n/registry"
import { useTable } from "../../i18n/table"
import { cx } from "../../lib/cx"
import { Button } from "../../ui/Button"
import { Field } from "../../ui/Field"
import { Note } from "../../ui/Note"
import { Section } from "../../ui/Section"
import { Select } from "../../ui/Select"
import { rolesQuery } from "../roles/queries"
import { registryKey } from "./queries"

type Who = Visibility | ""

const meanings: Record<Who, RegistryWord> = { "": "asBefore", private: "onlyMe", everybody: "all" }

/** Publishes an archive that is dropped or chosen, or a role of the person's own. */
export function PublishForm() {
  const say = useTable(registryWords)
  const client = useQueryClient()
  const input = useRef<HTMLInputElement>(null)
  const [who, setWho] = useState<Who>("")
  const [notes, setNotes] = useState("")
  const [over, setOver] = useState(false)
  const { data: roles } = useQuery(rolesQuery)
  const publishing = useMutation<Entry, Error, () => Promise<Entry>>({
    mutationFn: (act) => act(),
    onSuccess: () => {
      setNotes("")
      return client.invalidateQueries({ queryKey: registryKey })
    },
  })
  const publish = (files: FileList | null) => {
    const file = files?.[0]
    if (file && !publishing.isPending) publishing.mutate(() => publishFile(file, who || undefined, notes))
  }
  const own = roles?.roles?.filter(({ source }) => source === "own") ?? []
  const done = publishing.data
  return (
    <Section title={say("publish")}>
      <div className="space-y-4">
        <p className="text-ink-2">{say("publishLead")}</p>
        <Select<Who> label={say("who")} value={who} options={["", "private", "everybody"]} say={(one) => say(meanings[one])} onChange={setWho} />
        <Field label={say("notes")} value={notes} maxLength={250} onChange={(event) => setNotes(event.target.value)} />
        <div
          onDragOver={(event) => {
            event.preventDefault()
            setOver(true)
          }}
          onDragLeave={() => setOver(false)}
          onDrop={(event) => {
            event.preventDefault()
            setOver(false)
            publish(event.dataTransfer.files)
          }}
          className={cx("flex flex-wrap items-center justify-center gap-3 rounded-lg border border-dashed p-6", over ? "border-accent bg-hover" : "border-line-strong")}
        >
          <span className="text-ink-2">{say("drop")}</span>
          <input
            ref={input}
            type="file"
            accept=".zip,.md"
            hidden
            aria-label={say("choose")}
            onChange={(event) => {
              publish(event.currentTarget.files)
              event.currentTarget.value = "" // the same file can be chosen again
            }}
          />
          <Button disabled={publishing.isPending} onClick={() => input.current?.click()}>
            <Upload size={15} aria-hidden /> {say("choose")}
          </Button>
        </div>
        {own.length > 0 && (
          <div className="flex flex-wrap items-center gap-1">
            <span className="text-small text-ink-3">{say("fromRole")}</span>
            {own.map(({ id, name }) => (
              <Button key={id} look="quiet" aria-label={say("publishRole", { name })} disabled={publishing.isPending} onClick={() => publishing.mutate(() => publishRole(id))}>{name}</Button>
            ))}
          </div>
        )}
        {publishing.error && <Note tone="danger">{publishing.error.message}</Note>}
        {done && !publishing.error && <Note tone="plain">{say("published", { name: done.name, number: done.version.number })}</Note>}
      </div>
    </Section>
  )
}
