import { useQuery } from "@tanstack/react-query"
import { ChevronRight } from "lucide-react"
import { type ReactNode, useId, useState } from "react"

import { listPolicyVersions, type PolicyVersion, readPolicy } from "../api/policy"
import { useLanguage, useT } from "../i18n"
import { fullMoment, moment } from "../i18n/format"
import { cx } from "../lib/cx"
import { Button } from "../ui/Button"
import { Note } from "../ui/Note"
import { diffOf, folded } from "./diff"

/** Versions that are listed. */
const LISTED = 100

interface Props {
  /** The version in force. */
  inForce: number
  /** Puts the text of an older version into the editor. */
  onBringBack: (version: number, text: string) => void
}

/** Who changed the policy, when and how, and the way back. */
export function PolicyHistory({ inForce, onBringBack }: Props) {
  const t = useT()
  return (
    <Disclosure className="-mx-2 border-t border-line pt-2" head={() => <span className="font-medium text-ink-2">{t("policy.history")}</span>}>
      <Versions inForce={inForce} onBringBack={onBringBack} />
    </Disclosure>
  )
}

function Versions({ inForce, onBringBack }: Props) {
  const t = useT()
  // One more than is listed: what the last one changed shows beside the one before it.
  const { data, error } = useQuery({ queryKey: ["policy versions", inForce], queryFn: () => listPolicyVersions(LISTED + 1) })
  if (error && !data) return <Note tone="danger">{error.message}</Note>
  if (!data) return <p className="px-2 text-small text-ink-3">{t("app.loading")}</p>
  return (
    <ol aria-label={t("policy.history")} className="divide-y divide-line">
      {data.slice(0, LISTED).map((version, n) => (
        <li key={version.version}>
          <Version version={version} before={data[n + 1]?.version ?? 0} inForce={version.version === inForce} onBringBack={onBringBack} />
        </li>
      ))}
    </ol>
  )
}

interface VersionProps {
  version: PolicyVersion
  /** The version before it; 0: there was none. */
  before: number
  inForce: boolean
  onBringBack: Props["onBringBack"]
}

function Version({ version: { version, at, by }, before, inForce, onBringBack }: VersionProps) {
  const t = useT()
  const language = useLanguage()
  const date = moment(language, at)
  const head = () => (
    <span className="flex min-w-0 flex-1 flex-wrap items-baseline gap-x-3">
      <span className="font-medium tabular-nums">{t("policy.version", { version })}</span>
      <span className="min-w-0 flex-1 break-words text-ink-3" title={fullMoment(language, at)}>
        {by ? t("policy.changedBy", { who: by, date }) : date}
      </span>
      {inForce && <span className="rounded-full bg-accent-soft px-2 text-accent">{t("policy.inForce")}</span>}
    </span>
  )
  return (
    <Disclosure head={head}>
      <Change version={version} before={before} bringBack={inForce ? undefined : onBringBack} />
    </Disclosure>
  )
}

/** Versions never change once they are there. */
const textOf = (version: number) => ({ queryKey: ["policy text", version], queryFn: () => readPolicy(version), staleTime: Infinity, enabled: version > 0 })

function Change({ version, before, bringBack }: { version: number; before: number; bringBack?: Props["onBringBack"] }) {
  const t = useT()
  const { data: now, error } = useQuery(textOf(version))
  const { data: then, error: thenError } = useQuery(textOf(before))
  const failed = error ?? thenError
  if (failed) return <Note tone="danger">{failed.message}</Note>
  if (!now || (before > 0 && !then)) return <p className="text-small text-ink-3">{t("app.loading")}</p>
  return (
    <div className="space-y-2">
      <Diff label={t("policy.change", { version })} before={then?.text ?? ""} after={now.text} />
      {bringBack && <Button onClick={() => bringBack(version, now.text)}>{t("policy.bringBack")}</Button>}
    </div>
  )
}

function Diff({ label, before, after }: { label: string; before: string; after: string }) {
  const t = useT()
  const diff = folded(diffOf(before, after))
  if (diff.every(({ kind }) => kind === "skipped")) return <p className="text-small text-ink-3">{t("policy.noChange")}</p>
  return (
    <div role="region" aria-label={label} tabIndex={0} className="max-h-64 overflow-auto rounded-md border border-line bg-canvas py-1 font-mono text-[0.75rem]">
      {diff.map((line, n) =>
        line.kind === "skipped" ? (
          <p key={n} className="px-3 py-0.5 text-ink-3">
            {t("policy.unchanged", { count: line.count })}
          </p>
        ) : (
          <Line key={n} kind={line.kind} text={line.text} />
        ),
      )}
    </div>
  )
}

const looks = { same: "text-ink-2", gone: "bg-danger-soft text-danger", new: "bg-accent-soft text-accent" }
const signs = { same: "", gone: "−", new: "+" }

function Line({ kind, text }: { kind: keyof typeof looks; text: string }) {
  const Changed = kind === "gone" ? "del" : kind === "new" ? "ins" : "span"
  return (
    <Changed className={cx("flex px-3 no-underline", looks[kind])}>
      <span aria-hidden className="w-4 shrink-0 select-none">
        {signs[kind]}
      </span>
      <span className="min-w-0 break-words whitespace-pre-wrap">{text || " "}</span>
    </Changed>
  )
}

/** A line that opens to what is behind it, which is drawn only then. */
function Disclosure({ head, className, children }: { head: () => ReactNode; className?: string; children: ReactNode }) {
  const [open, setOpen] = useState(false)
  const id = useId()
  return (
    <div className={className}>
      <button
        type="button"
        aria-expanded={open}
        aria-controls={open ? id : undefined}
        onClick={() => setOpen(!open)}
        className="flex min-h-9 w-full items-center gap-2 rounded-md px-2 py-1 text-left text-small transition-colors hover:bg-hover"
      >
        <ChevronRight size={15} aria-hidden className={cx("shrink-0 text-ink-3 transition-transform", open && "rotate-90")} />
        {head()}
      </button>
      {open && (
        <div id={id} className="pt-1 pb-3 pl-8">
          {children}
        </div>
      )}
    </div>
  )
}
