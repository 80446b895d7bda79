import { Tabs } from "radix-ui"
import { type ComponentType, lazy, Suspense, useState } from "react"

import { useAccount } from "../app/account"
import type { SettingsPlace, SettingsTab } from "../app/shell-context"
import { useT } from "../i18n"
import { PermissionsPage } from "../permissions/PermissionsPage"
import { Modal } from "../ui/Modal"
import { Runners } from "./Runners"

const ModelsPage = lazy(() => import("../models/ModelsPage"))
const Identities = lazy(() => import("./Identities"))
const CronPage = lazy(() => import("../cron/CronPage"))
const TriggersPage = lazy(() => import("../triggers/TriggersPage"))
const ChannelsPage = lazy(() => import("../channels/ChannelsPage"))
const HooksPage = lazy(() => import("../hooks/HooksPage"))
const PolicyPage = lazy(() => import("../policy/PolicyPage"))
const People = lazy(() => import("./People"))
const LimitsView = lazy(() => import("./LimitsView"))
const Runs = lazy(() => import("./Runs"))

const tab =
  "-mb-px h-9 shrink-0 border-b-2 border-transparent px-1 font-medium text-ink-2 -outline-offset-2 hover:text-ink data-[state=active]:border-accent data-[state=active]:text-ink"

/** On a phone they scroll, and fade where there are more. */
const tabs =
  "flex gap-x-5 overflow-x-auto scroll-px-8 border-b border-line pr-8 pb-px [mask-image:linear-gradient(to_right,black_calc(100%-2rem),transparent)] md:flex-wrap md:gap-x-3 md:pr-0 md:[mask-image:none]"

interface Props {
  onClose: () => void
  /** Where it opens, instead of at its first page. */
  place?: SettingsPlace
}

interface Page {
  id: SettingsTab
  show: ComponentType<Props>
  /** Only administrators have it. */
  admin?: boolean
}

const pages: Page[] = [
  { id: "models", show: ModelsPage },
  { id: "runners", show: Runners },
  { id: "permissions", show: PermissionsPage },
  { id: "cron", show: CronPage },
  { id: "triggers", show: TriggersPage },
  { id: "identities", show: Identities },
  { id: "channels", show: ChannelsPage, admin: true },
  { id: "hooks", show: HooksPage, admin: true },
  { id: "policy", show: PolicyPage, admin: true },
  { id: "people", show: People, admin: true },
  { id: "limits", show: LimitsView, admin: true },
  { id: "runs", show: Runs, admin: true },
]

/** Who answers, where commands run, what may run without asking, who one is elsewhere; for administrators what holds for everybody. */
export default function SettingsDialog({ onClose, place }: Props) {
  const t = useT()
  const { me } = useAccount()
  const [elsewhere, setElsewhere] = useState(false) // what was to be begun is begun once
  const shown = pages.filter(({ admin }) => !admin || me.user.role === "admin")
  return (
    <Modal room onClose={onClose} title={t("settings.title")}>
      <Tabs.Root defaultValue={place?.tab ?? "models"} onValueChange={() => setElsewhere(true)}>
        <Tabs.List aria-label={t("settings.title")} className={tabs}>
          {shown.map(({ id }) => (
            <Tabs.Trigger key={id} value={id} onFocus={(event) => event.currentTarget.scrollIntoView({ block: "nearest", inline: "nearest" })} className={tab}>
              {t(`${id}.title`)}
            </Tabs.Trigger>
          ))}
        </Tabs.List>
        {shown.map(({ id, show: Show }) => (
          <Tabs.Content key={id} value={id} className="pt-4 outline-offset-4">
            <Suspense>
              <Show onClose={onClose} place={elsewhere ? undefined : place} />
            </Suspense>
          </Tabs.Content>
        ))}
      </Tabs.Root>
    </Modal>
  )
}
