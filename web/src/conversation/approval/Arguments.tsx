import { useT } from "../../i18n"
import { type Argument, readArguments } from "./arguments"

/** The arguments of a call by name, or as the model wrote them. */
export function Arguments({ json }: { json: string }) {
  const t = useT()
  return <ArgumentList list={readArguments(json) ?? [{ name: t("tools.arguments"), value: json }]} />
}

export function ArgumentList({ list }: { list: Argument[] }) {
  const t = useT()
  if (list.length === 0) return null
  return (
    <dl aria-label={t("tools.arguments")} className="space-y-1 text-small">
      {list.map(({ name, value }) => (
        <div key={name} className="flex gap-3">
          <dt className="w-20 shrink-0 truncate text-ink-3">{name}</dt>
          <dd className="max-h-60 min-w-0 flex-1 overflow-y-auto font-mono text-[0.75rem] break-words whitespace-pre-wrap">{value}</dd>
        </div>
      ))}
    </dl>
  )
}
