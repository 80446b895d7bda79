import type { Session } from "../../api/types"
import { useT } from "../../i18n"
import { Facts, Section } from "../../ui/Section"

export function SessionFacts({ session }: { session: Session }) {
  const t = useT()
  const folder = session.cwd ? <span className="font-mono text-[0.75rem] wrap-anywhere">{session.cwd}</span> : t("details.workspace")
  return (
    <Section title={t("details.session")}>
      <Facts
        rows={[
          [t("details.channel"), session.channel],
          [t("details.runner"), session.runner],
          [t("details.folder"), folder],
          [t("details.key"), <span key="key" className="font-mono text-[0.75rem] wrap-anywhere">{session.key}</span>],
        ]}
      />
    </Section>
  )
}
