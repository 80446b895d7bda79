import { useQuery } from "@tanstack/react-query"

import { listPolicyVersions, type PolicyVersion, readPolicy } from "../../api/policy"
import { useLanguage, useT } from "../../i18n"
import { fullMoment, moment } from "../../i18n/format"
import { linkWords } from "../../i18n/links"
import { useTable } from "../../i18n/table"
import { Button } from "../../ui/Button"
import { Disclosure } from "../../ui/Disclosure"
import { Note } from "../../ui/Note"
import { Diff } from "../../ui/text/Diff"

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

function Version({ version: { version, at, by, transfers }, before, inForce, onBringBack }: VersionProps) {
  const t = useT()
  const say = useTable(linkWords)
  const language = useLanguage()
  const date = moment(language, at)
  const head = () => (
    <span className="flex min-w-0 flex-1 flex-wrap items-baseline gap-x-3">
      <span className="font-medium tabular-nums">{t("policy.version", { version })}</span>
      <span className="min-w-0 flex-1 break-words text-ink-3" title={fullMoment(language, at)}>
        {by ? t("policy.changedBy", { who: by, date }) : date}
      </span>
      {transfers && transfers.length > 0 && <span className="rounded-full bg-warn-soft px-2 text-warn">{say("transferred", { names: transfers.join(", ") })}</span>}
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
