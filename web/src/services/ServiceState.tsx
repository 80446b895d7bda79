import type { Service } from "../api/services"
import { servicesWords } from "../i18n/services"
import { useTable } from "../i18n/table"
import { cx } from "../lib/cx"

/** Whether consumers may use a service. */
export function ServiceState({ service: { closed, published } }: { service: Service }) {
  const say = useTable(servicesWords)
  return <span className={cx("text-small", published && !closed ? "text-accent" : "text-ink-3")}>{say(closed ? "closed" : published ? "published" : "withdrawn")}</span>
}
