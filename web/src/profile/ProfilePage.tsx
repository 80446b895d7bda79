import { lazy, Suspense, useState } from "react"

import { useAccount } from "../account/account"
import { looksOwn, setLooksOwn } from "../account/appearance"
import { Tokens } from "../account/Tokens"
import { type Language, languages, useLanguage, useT } from "../i18n"
import { preferenceWords } from "../i18n/preferences"
import { useTable } from "../i18n/table"
import { Button } from "../ui/Button"
import { Section } from "../ui/Section"
import { Select } from "../ui/Select"
import { useShell } from "../ui/shell-context"
import { type Theme, useTheme } from "../ui/theme"
import Identities from "./Identities"
import PreferenceForm from "./PreferenceForm"
import { chooseLanguage, chooseTheme } from "./preferences"
import PreferenceVersions from "./PreferenceVersions"
import { ProfileForm } from "./ProfileForm"
import TitleSetting from "./TitleSetting"

const TurnNotices = lazy(() => import("./TurnNotices"))
const ProfileVersions = lazy(() => import("./ProfileVersions"))

const themes: Theme[] = ["auto", "light", "dark"]

/** What a person says of themselves, how the page looks to them, how they sign in, and who they are elsewhere. */
export default function ProfilePage() {
  const t = useT()
  const { me } = useAccount()
  const { show } = useShell()
  return (
    <div className="space-y-8">
      <p className="text-ink-2">{t("you.lead", { name: me.user.name })}</p>
      <div className="space-y-2">
        <ProfileForm />
        <Suspense>
          <ProfileVersions />
        </Suspense>
      </div>
      <Section title={t("you.page")}>
        <Look />
      </Section>
      <TitleSetting />
      <Section title={t("you.answers")}>
        <PreferenceForm />
        <PreferenceVersions />
      </Section>
      <Section title={t("you.password")}>
        <Button onClick={() => show("password")}>{t("account.password")}</Button>
      </Section>
      <Section title={t("tokens.title")}>
        <Tokens />
      </Section>
      <Section title={t("identities.title")}>
        <Identities />
      </Section>
      <Suspense>
        <TurnNotices />
      </Suspense>
    </div>
  )
}

function Look() {
  const t = useT()
  const say = useTable(preferenceWords)
  const [own, setOwn] = useState(looksOwn)
  const theme = useTheme()
  const language = useLanguage()
  const names: Record<Theme, string> = { auto: t("account.themeAuto"), light: t("account.themeLight"), dark: t("account.themeDark") }
  return (
    <>
      <div className="flex flex-wrap gap-4">
        <Select label={t("account.language")} value={language} options={Object.keys(languages) as Language[]} say={(option) => languages[option]} onChange={chooseLanguage} />
        <Select label={t("account.theme")} value={theme} options={themes} say={(option) => names[option]} onChange={chooseTheme} />
      </div>
      <label className="mt-2 flex items-center gap-2">
        <input
          type="checkbox"
          checked={own}
          onChange={({ target }) => {
            setOwn(target.checked)
            setLooksOwn(target.checked)
          }}
        />
        {say("device")}
      </label>
    </>
  )
}
