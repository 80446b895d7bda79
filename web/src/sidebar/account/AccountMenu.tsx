import { useNavigate } from "@tanstack/react-router"
import { Bell, BellOff, Brain, ChartNoAxesColumn, CircleHelp, Download, ExternalLink, KeyRound, LogOut, Settings, Ticket } from "lucide-react"
import { DropdownMenu } from "radix-ui"
import { type ReactNode } from "react"

import { useAccount } from "../../account/account"
import { asProblem } from "../../api/problem"
import { type Language, languages, useLanguage, useT } from "../../i18n"
import { notifyWords } from "../../i18n/notify"
import { useTable } from "../../i18n/table"
import { useInstall } from "../../lib/install"
import { canNotify, notifyOff, notifyOn, useNotify } from "../../notify/setting"
import { PanelItems } from "../../panels/PanelItems"
import { chooseLanguage, chooseTheme } from "../../profile/preferences"
import { menuItem, menuLine, menuPanel, menuTitle } from "../../ui/menu"
import { useShell } from "../../ui/shell-context"
import { type Theme, useTheme } from "../../ui/theme"
import { toast } from "../../ui/toasts"
import { AccountFace } from "./AccountFace"
import { signOut } from "./signout"

/** Everything that is set for a person rather than for a conversation. Opens as soon as it is drawn. */
export default function AccountMenu() {
  const t = useT()
  const { me } = useAccount()
  const { show } = useShell()
  const navigate = useNavigate()
  const install = useInstall()
  const leave = () => {
    signOut().then(
      () => navigate({ to: "/login", search: {} }),
      (error: unknown) => toast(asProblem(error).message),
    )
  }
  return (
    <DropdownMenu.Root defaultOpen>
      <DropdownMenu.Trigger asChild>
        <AccountFace />
      </DropdownMenu.Trigger>
      <DropdownMenu.Portal>
        <DropdownMenu.Content side="top" align="start" sideOffset={4} collisionPadding={8} className={`${menuPanel} w-(--radix-dropdown-menu-trigger-width)`}>
          <ThemeChoice />
          <LanguageChoice />
          <DropdownMenu.Separator className={menuLine} />
          <Item icon={<Settings size={15} aria-hidden />} text={t("account.settings")} onSelect={() => void navigate({ to: "/settings/{-$section}", params: { section: undefined } })} />
          <PanelItems />
          <Item icon={<Brain size={15} aria-hidden />} text={t("account.memory")} onSelect={() => show("memory")} />
          <Item icon={<ChartNoAxesColumn size={15} aria-hidden />} text={t("account.usage")} onSelect={() => show("usage")} />
          <Item icon={<KeyRound size={15} aria-hidden />} text={t("account.password")} onSelect={() => show("password")} />
          <Item icon={<Ticket size={15} aria-hidden />} text={t("account.tokens")} onSelect={() => show("tokens")} />
          {me.temporal_ui && (
            <DropdownMenu.Item asChild className={menuItem}>
              <a href={me.temporal_ui} target="_blank" rel="noreferrer">
                <ExternalLink size={15} aria-hidden /> {t("account.temporal")}
              </a>
            </DropdownMenu.Item>
          )}
          {install && <Item icon={<Download size={15} aria-hidden />} text={t("account.install")} onSelect={install} />}
          {canNotify() && <Notify />}
          <Item icon={<CircleHelp size={15} aria-hidden />} text={t("account.help")} onSelect={() => show("help")} />
          <DropdownMenu.Separator className={menuLine} />
          <Item icon={<LogOut size={15} aria-hidden />} text={t("account.signOut")} onSelect={leave} />
          <DropdownMenu.Label className={menuTitle}>{t("account.version", { version: me.version })}</DropdownMenu.Label>
        </DropdownMenu.Content>
      </DropdownMenu.Portal>
    </DropdownMenu.Root>
  )
}

function Item({ icon, text, onSelect }: { icon: ReactNode; text: string; onSelect: () => void }) {
  return (
    <DropdownMenu.Item className={menuItem} onSelect={onSelect}>
      {icon} {text}
    </DropdownMenu.Item>
  )
}

/** Turns notifications of long turns on or off. The browser asks the person the first time. */
function Notify() {
  const say = useTable(notifyWords)
  const on = useNotify()
  const ask = () => {
    notifyOn().then(
      (granted) => granted || toast(say("refused")),
      () => toast(say("refused")),
    )
  }
  return on ? <Item icon={<BellOff size={15} aria-hidden />} text={say("off")} onSelect={notifyOff} /> : <Item icon={<Bell size={15} aria-hidden />} text={say("on")} onSelect={ask} />
}

function ThemeChoice() {
  const t = useT()
  const theme = useTheme()
  const names: Record<Theme, string> = { auto: t("account.themeAuto"), light: t("account.themeLight"), dark: t("account.themeDark") }
  return <Choice title={t("account.theme")} value={theme} names={names} onChange={chooseTheme} />
}

function LanguageChoice() {
  const t = useT()
  const language = useLanguage()
  return <Choice<Language> title={t("account.language")} value={language} names={languages} onChange={chooseLanguage} />
}

interface ChoiceProps<T extends string> {
  title: string
  value: T
  names: Record<T, string>
  onChange: (value: T) => void
}

/** One of a few values, side by side. The menu stays open, since the effect is seen at once. */
function Choice<T extends string>({ title, value, names, onChange }: ChoiceProps<T>) {
  return (
    <DropdownMenu.RadioGroup value={value} aria-label={title} onValueChange={(next) => onChange(next as T)} className="flex items-center gap-1 py-0.5 pl-2.5">
      <span aria-hidden className="flex-1 text-small text-ink-3">
        {title}
      </span>
      {Object.entries<string>(names).map(([key, name]) => (
        <DropdownMenu.RadioItem
          key={key}
          value={key}
          onSelect={(event) => event.preventDefault()}
          className="cursor-pointer rounded-sm px-1.5 py-1 text-small text-ink-2 outline-none data-highlighted:bg-hover data-[state=checked]:bg-accent-soft data-[state=checked]:text-accent"
        >
          {name}
        </DropdownMenu.RadioItem>
      ))}
    </DropdownMenu.RadioGroup>
  )
}
