import { useQuery } from "@tanstack/react-query"

import { type LimitNumbers, readLimits } from "../api/policy"
import { Facts, Section } from "../details/Section"
import { useT } from "../i18n"
import { Note } from "../ui/Note"

/** Milliseconds between two looks, while somebody looks. */
const LOOK = 2_000

/** What may run at once, and what does now. */
export default function LimitsView() {
  const t = useT()
  const { data, error } = useQuery({ queryKey: ["limits"], queryFn: readLimits, refetchInterval: LOOK })
  if (error && !data) return <Note tone="danger">{error.message}</Note>
  if (!data) return <p className="text-small text-ink-3">{t("app.loading")}</p>
  return (
    <div className="space-y-6">
      <p className="text-ink-2">{t("limits.lead")}</p>
      <Section title={t("limits.now")}>
        <Facts rows={[[t("limits.running"), data.running], [t("limits.waiting"), data.waiting]]} />
      </Section>
      {data.turns.length > 0 && (
        <Section title={t("limits.byTenant")}>
          <Facts rows={data.turns.map(({ tenant, running, waiting }) => [tenant, t("limits.counts", { running, waiting })])} />
        </Section>
      )}
      <Section title={t("limits.calls")}>
        {data.llm.length > 0 ? (
          <Facts rows={data.llm.map(({ tenant, pool, running, waiting }) => [`${tenant} · ${t(`limits.pool_${pool}`)}`, t("limits.counts", { running, waiting })])} />
        ) : (
          <p className="text-small text-ink-2">{t("limits.noCalls")}</p>
        )}
      </Section>
      <Section title={t("limits.title")}>
        <Numbers limits={data.limits} />
      </Section>
    </div>
  )
}

function Numbers({ limits }: { limits: LimitNumbers }) {
  const t = useT()
  const said = (n: number) => (n === 0 ? t("limits.none") : n)
  const each = (n: number) => `${n} ${t("limits.perTenant")}`
  return (
    <Facts
      rows={[
        [t("limits.turns"), said(limits.turns)],
        [t("limits.userTurns"), said(limits.user_turns)],
        [t("limits.ownKeyTurns"), said(limits.own_key_turns)],
        [t("limits.global"), each(limits.llm_global)],
        [t("limits.personal"), each(limits.llm_personal)],
        [t("limits.subagent"), each(limits.llm_subagent)],
      ]}
    />
  )
}
