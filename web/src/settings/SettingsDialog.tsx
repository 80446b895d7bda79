import { Tabs } from "radix-ui"

import { useT } from "../i18n"
import { Modal } from "../ui/Modal"
import { Permissions } from "./Permissions"
import { Runners } from "./Runners"

const tab = "-mb-px h-9 border-b-2 border-transparent px-1 font-medium text-ink-2 hover:text-ink data-[state=active]:border-accent data-[state=active]:text-ink"

/** Where commands run, and what may run without asking. */
export default function SettingsDialog({ onClose }: { onClose: () => void }) {
  const t = useT()
  return (
    <Modal wide onClose={onClose} title={t("settings.title")}>
      <Tabs.Root defaultValue="runners">
        <Tabs.List aria-label={t("settings.title")} className="flex gap-5 border-b border-line">
          <Tabs.Trigger value="runners" className={tab}>
            {t("runners.title")}
          </Tabs.Trigger>
          <Tabs.Trigger value="permissions" className={tab}>
            {t("permissions.title")}
          </Tabs.Trigger>
        </Tabs.List>
        <Tabs.Content value="runners" className="pt-4 outline-offset-4">
          <Runners />
        </Tabs.Content>
        <Tabs.Content value="permissions" className="pt-4 outline-offset-4">
          <Permissions />
        </Tabs.Content>
      </Tabs.Root>
    </Modal>
  )
}
