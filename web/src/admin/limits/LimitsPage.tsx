import { useQuery } from "@tanstack/react-query"

import { readLimits } from "../../api/policy"
import { useT } from "../../i18n"
import { Pending } from "../../ui/Pending"
import { Facts, Section } from "../../ui/Section"
import { LimitsForm } from "./LimitsForm"

/** Milliseconds between two looks, while somebody looks. */
const LOOK = 2_000

/** What runs at once now, and what may. */
export default function LimitsPage() {
  const t = useT()
  const { data, error } = useQuery({ queryKey: ["limits"], queryFn: readLimits, refetchInterval: LOOK })
  if (!data) return <Pending error={error} />
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
        <LimitsForm limits={data} />
      </Section>
    </div>
  )
}
