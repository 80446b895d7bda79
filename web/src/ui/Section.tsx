import { type ReactNode, useId } from "react"

export function Section({ title, children }: { title: string; children: ReactNode }) {
  const id = useId()
  return (
    <section aria-labelledby={id}>
      <h3 id={id} className="mb-2 text-small text-ink-3">
        {title}
      </h3>
      {children}
    </section>
  )
}

/** Names and values, one a line. Missing values are left out. */
export function Facts({ rows }: { rows: [name: string, value: ReactNode][] }) {
  return (
    <dl className="space-y-1 text-small">
      {rows
        .filter(([, value]) => value !== undefined && value !== "")
        .map(([name, value]) => (
          <div key={name} className="flex gap-4">
            <dt className="w-28 shrink-0 text-ink-2">{name}</dt>
            <dd className="min-w-0 flex-1 break-words tabular-nums">{value}</dd>
          </div>
        ))}
    </dl>
  )
}
