import { useT } from "../../i18n"
import { cx } from "../../lib/cx"
import { diffOf, folded } from "./diff-lines"

/** What two texts have in common and where they differ, line by line. */
export function Diff({ label, before, after }: { label: string; before: string; after: string }) {
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
