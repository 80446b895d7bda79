import { useQuery } from "@tanstack/react-query"
import { useDeferredValue, useState } from "react"

import { useAccount } from "../../account/account"
import { useT } from "../../i18n"
import { registryWords } from "../../i18n/registry"
import { useTable } from "../../i18n/table"
import { Field } from "../../ui/Field"
import { Note } from "../../ui/Note"
import { Pending } from "../../ui/Pending"
import { Section } from "../../ui/Section"
import { EntryRow } from "./EntryRow"
import { InstallRow } from "./InstallRow"
import { PublishForm } from "./PublishForm"
import { entriesQuery, installsQuery } from "./queries"

/** The skills and roles that people share: what is installed, what there is, and what is published. */
export default function RegistryPage() {
  const say = useTable(registryWords)
  const { me } = useAccount()
  const { data, error } = useQuery(installsQuery)
  if (!data) return <Pending error={error} />
  const admin = me.user.role === "admin"
  return (
    <div className="space-y-8">
      <p className="text-ink-2">{say("lead")}</p>
      <Section title={say("installed")}>
        {data.length === 0 && <p className="text-ink-2">{say("noneInstalled")}</p>}
        <ul aria-label={say("installedList")} className="divide-y divide-line">
          {data.map((install) => (
            <InstallRow key={install.id} install={install} changes={admin || !install.shared} />
          ))}
        </ul>
      </Section>
      <Browse admin={admin} />
      <PublishForm />
    </div>
  )
}

function Browse({ admin }: { admin: boolean }) {
  const t = useT()
  const say = useTable(registryWords)
  const [words, setWords] = useState("")
  const [own, setOwn] = useState(false)
  const { data: installs = [] } = useQuery(installsQuery)
  const { data, error } = useQuery(entriesQuery(useDeferredValue(words.trim()), own))
  return (
    <Section title={say("browse")}>
      <div className="space-y-3">
        <Field label={say("search")} type="search" value={words} maxLength={200} onChange={(event) => setWords(event.target.value)} />
        <label className="flex items-center gap-2 text-small">
          <input type="checkbox" checked={own} onChange={(event) => setOwn(event.target.checked)} /> {say("mine")}
        </label>
        {error && <Note tone="danger">{error.message}</Note>}
        {!data && !error && <p className="text-small text-ink-3">{t("app.loading")}</p>}
        {data?.entries.length === 0 && <p className="text-ink-2">{say("noneFound")}</p>}
        <ul aria-label={say("list")} className="divide-y divide-line">
          {data?.entries.map((entry) => (
            <EntryRow key={entry.id} entry={entry} admin={admin} installs={installs.filter((one) => one.entry === entry.id)} />
          ))}
        </ul>
        {data?.more && <p className="text-small text-ink-3">{say("more")}</p>}
      </div>
    </Section>
  )
}
