import { CircleCheck, CircleX, Info } from "lucide-react"
import { useRef } from "react"

import type { Policy } from "../../api/policy"
import { useT } from "../../i18n"
import { Button } from "../../ui/Button"
import { Note } from "../../ui/Note"
import { Pending } from "../../ui/Pending"
import { toast } from "../../ui/toasts"
import type { Fault } from "./faults"
import { IdentityLinks, Transfers } from "./IdentityLinks"
import { PolicyHistory } from "./PolicyHistory"
import { PolicyText, type PolicyTextHandle } from "./PolicyText"
import { usePolicy } from "./usePolicy"

/** The policy of the installation, for administrators: written as text, checked as one types. */
export default function PolicyPage() {
  const t = useT()
  const policy = usePolicy()
  const editor = useRef<PolicyTextHandle>(null)
  const { saved, error, text, changed, faults, notes, saving, theirs } = policy
  const maySave = changed && !saving && faults.length === 0 && !policy.checking
  const save = () => {
    if (maySave) policy.save()
  }
  const bringBack = (version: number, older: string) => {
    policy.write(older)
    editor.current?.goTo({ from: 0, to: 0 })
    toast(t("policy.broughtBack", { version }))
  }
  if (!saved) return <Pending error={error} />
  return (
    <div className="space-y-3">
      <p className="text-ink-2">{t("policy.lead")}</p>
      {theirs && <Conflict theirs={theirs} saving={saving} onTake={policy.takeTheirs} onKeep={policy.keepMine} />}
      <PolicyText handle={editor} label={t("policy.editor")} text={text} faults={faults} onText={policy.write} onSave={save} />
      <Faults faults={faults} onGo={(fault) => fault.place && editor.current?.goTo(fault.place)} />
      <Transfers links={policy.transfers} confirmed={policy.confirmed} onConfirm={policy.confirm} />
      {policy.failed && <Note tone="danger">{policy.failed}</Note>}
      {notes.length > 0 && <Notes notes={notes} />}
      <div className="flex flex-wrap items-center gap-2">
        <p role="status" className="flex min-w-0 flex-1 items-center gap-1.5 text-small text-ink-3">
          {policy.checking ? t("policy.checking") : changed && faults.length === 0 ? <Fine /> : saved.version > 0 ? t("policy.version", { version: saved.version }) : t("policy.none")}
        </p>
        {changed && (
          <Button look="quiet" onClick={policy.revert}>
            {t("policy.revert")}
          </Button>
        )}
        <Button look="primary" aria-disabled={!maySave} onClick={save}>
          {t(saving ? "policy.saving" : "policy.save")}
        </Button>
      </div>
      <IdentityLinks />
      {saved.version > 0 && <PolicyHistory inForce={saved.version} onBringBack={bringBack} />}
    </div>
  )
}

function Fine() {
  const t = useT()
  return (
    <>
      <CircleCheck size={14} aria-hidden className="text-accent" /> {t("policy.fine")}
    </>
  )
}

/** What is wrong; pressing one goes to its place. */
function Faults({ faults, onGo }: { faults: Fault[]; onGo: (fault: Fault) => void }) {
  const t = useT()
  if (faults.length === 0) return null
  return (
    <section aria-label={t("policy.faults", { count: faults.length })} className="rounded-md bg-danger-soft px-3 py-2 text-danger">
      <ul className="space-y-1 text-small">
        {faults.map((fault) => (
          <li key={fault.text} className="flex gap-2">
            <CircleX size={14} aria-hidden className="mt-1 shrink-0" />
            {fault.place ? (
              <button type="button" onClick={() => onGo(fault)} className="min-w-0 rounded-sm text-left break-words underline-offset-3 hover:underline">
                {fault.text} {fault.line !== undefined && <span className="opacity-90">({t("policy.line", { line: fault.line })})</span>}
              </button>
            ) : (
              <span className="min-w-0 break-words">{fault.text}</span>
            )}
          </li>
        ))}
      </ul>
    </section>
  )
}

function Notes({ notes }: { notes: string[] }) {
  const t = useT()
  return (
    <section aria-label={t("policy.notes")} className="rounded-md bg-sunken px-3 py-2 text-small text-ink-2">
      <ul className="space-y-1">
        {notes.map((note) => (
          <li key={note} className="flex gap-2">
            <Info size={14} aria-hidden className="mt-1 shrink-0 text-ink-3" />
            <span className="min-w-0 break-words">{note}</span>
          </li>
        ))}
      </ul>
    </section>
  )
}

/** Two people wrote at the same time: nothing is lost before one of them says what holds. */
function Conflict({ theirs, saving, onTake, onKeep }: { theirs: Policy; saving: boolean; onTake: () => void; onKeep: () => void }) {
  const t = useT()
  return (
    <div role="alert" className="space-y-2 rounded-md bg-warn-soft px-3 py-2.5">
      <p className="text-warn">{t("policy.conflict", { version: theirs.version })}</p>
      <details>
        <summary className="rounded-sm text-small text-ink-2">{t("policy.theirs")}</summary>
        <pre tabIndex={0} aria-label={t("policy.theirs")} role="region" className="mt-2 max-h-48 overflow-auto rounded-md bg-canvas p-3 font-mono text-[0.75rem] whitespace-pre-wrap">{theirs.text}</pre>
      </details>
      <div className="flex flex-wrap gap-2">
        <Button onClick={onTake}>{t("policy.takeTheirs")}</Button>
        <Button aria-disabled={saving} onClick={onKeep}>
          {t("policy.keepMine")}
        </Button>
      </div>
    </div>
  )
}
