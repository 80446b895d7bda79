import { useAccount } from "../account/account"
import { useT } from "../i18n"
import { Button } from "../ui/Button"
import { Facts, Section } from "../ui/Section"
import { useShell } from "../ui/shell-context"

const link = "rounded-sm text-accent underline underline-offset-3"

/** What runs here, and where more is written. */
export default function AboutPage() {
  const t = useT()
  const { me } = useAccount()
  const { show } = useShell()
  return (
    <div className="space-y-8">
      <Section title={t("about.runs")}>
        <Facts
          rows={[
            [t("about.version"), me.version],
            [t("about.model"), me.model],
            [t("about.you"), `${me.user.name} · ${t(me.user.role === "admin" ? "about.admin" : "about.member")}`],
          ]}
        />
      </Section>
      <Section title={t("about.more")}>
        <ul className="space-y-2">
          <li>
            <Button onClick={() => show("help")}>{t("account.help")}</Button>
          </li>
          <li>
            <a href="/api/openapi.json" target="_blank" rel="noreferrer" className={link}>
              {t("about.api")}
            </a>
          </li>
          {me.temporal_ui && (
            <li>
              <a href={me.temporal_ui} target="_blank" rel="noreferrer" className={link}>
                {t("account.temporal")}
              </a>
            </li>
          )}
        </ul>
        <p className="mt-3 text-small text-ink-3">{t("about.docs")}</p>
      </Section>
    </div>
  )
}
