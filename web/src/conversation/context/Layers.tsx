import type { ContextView } from "../../api/types"
import { useT } from "../../i18n"
import { Section } from "../../ui/Section"

/** What was done so that the conversation fits, in words. */
export function Layers({ view }: { view: ContextView }) {
  const t = useT()
  const lines = [
    view.offloads > 0 && t("context.offloads", { count: view.offloads }),
    view.masks > 0 && t("context.masks", { count: view.masks }),
    view.stale > 0 && t("context.stale", { count: view.stale }),
    view.edits > 0 && t("context.edits", { count: view.edits }),
  ].filter((line) => line !== false)
  return (
    <Section title={t("context.layers")}>
      {lines.length === 0 ? (
        <p className="text-small text-ink-2">{t("context.untouched")}</p>
      ) : (
        <ul className="space-y-1 text-small">
          {lines.map((line) => (
            <li key={line}>{line}</li>
          ))}
        </ul>
      )}
    </Section>
  )
}
