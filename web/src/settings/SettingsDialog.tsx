import { Tabs } from "radix-ui"
import { type ComponentType, lazy, Suspense } from "react"

import { useAccount } from "../app/account"
import { useT } from "../i18n"
import { Modal } from "../ui/Modal"
import { Permissions } from "./Permissions"
import { Runners } from "./Runners"

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

interface Page {
  id: "runners" | "permissions" | "cron" | "triggers" | "identities" | "channels" | "hooks" | "policy" | "people" | "limits" | "runs"
  show: ComponentType<{ onClose: () => void }>
  /** Only administrators have it. */
  admin?: boolean
}

const pages: Page[] = [
  { id: "runners", show: Runners },
  { id: "permissions", show: Permissions },
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

/** Where commands run, what may run without asking, who one is elsewhere; for administrators what holds for everybody. */
export default function SettingsDialog({ onClose }: { onClose: () => void }) {
  const t = useT()
  const { me } = useAccount()
  const shown = pages.filter(({ admin }) => !admin || me.user.role === "admin")
  return (
    <Modal room onClose={onClose} title={t("settings.title")}>
      <Tabs.Root defaultValue="runners">
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
              <Show onClose={onClose} />
            </Suspense>
          </Tabs.Content>
        ))}
      </Tabs.Root>
    </Modal>
  )
}
