import { cx } from "../../lib/cx"

/** A unified diff. */
export function UnifiedDiff({ diff, label }: { diff: string; label: string }) {
  const lines = diff.replace(/\n$/, "").split("\n")
  return (
    <div
      tabIndex={0}
      role="group"
      aria-label={label}
      className="mt-3 max-h-80 overflow-auto rounded-md bg-sunken py-2 font-mono text-small -outline-offset-2"
    >
      <div className="w-max min-w-full">
        {lines.map((line, n) => (
          <div key={n} className={cx("px-3.5 whitespace-pre", lookOf(line, n))}>
            {line || " "}
          </div>
        ))}
      </div>
    </div>
  )
}

/** How a line of a unified diff looks; its first two name the file. */
function lookOf(line: string, n: number): string {
  if (n < 2 || line.startsWith("@@") || line.startsWith("\\")) return "text-ink-3"
  if (line.startsWith("+")) return "bg-accent-soft text-accent"
  return line.startsWith("-") ? "bg-danger-soft text-danger" : "text-ink-2"
}
