import { DropdownMenu } from "radix-ui"

import { useT } from "../../i18n"
import { menuPanel, menuTitle } from "../../ui/menu"
import type { Chosen } from "./choice"
import { type ChoiceProps, QueueFace } from "./faces"
import { MenuChoice as Item } from "./MenuChoice"

const modes = ["default", "steer", "followup", "collect", "interrupt", "supersede"] as const

/** How a message joins the conversation while a turn runs. Opens as soon as it is drawn. */
export default function QueueMenu({ chosen, onChoose }: ChoiceProps) {
  const t = useT()
  return (
    <DropdownMenu.Root defaultOpen>
      <DropdownMenu.Trigger asChild>
        <QueueFace chosen={chosen} />
      </DropdownMenu.Trigger>
      <DropdownMenu.Portal>
        <DropdownMenu.Content side="top" align="start" sideOffset={6} collisionPadding={8} className={`${menuPanel} w-[min(22rem,calc(100vw-1rem))]`}>
          <DropdownMenu.Label className={menuTitle}>{t("queue.title")}</DropdownMenu.Label>
          <DropdownMenu.RadioGroup
            value={chosen.queue === "" ? "default" : chosen.queue}
            onValueChange={(mode) => onChoose({ queue: mode === "default" ? "" : (mode as Chosen["queue"]) })}
            aria-label={t("queue.title")}
          >
            {modes.map((mode) => (
              <Item key={mode} value={mode}>
                <span className="block">{t(`queue.mode_${mode}`)}</span>
                <span className="block text-small text-ink-3">{t(`queue.text_${mode}`)}</span>
              </Item>
            ))}
          </DropdownMenu.RadioGroup>
        </DropdownMenu.Content>
      </DropdownMenu.Portal>
    </DropdownMenu.Root>
  )
}
