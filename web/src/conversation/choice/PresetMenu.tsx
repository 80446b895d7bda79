import { DropdownMenu } from "radix-ui"

import { presets } from "../../api/permissions"
import { permissionWords } from "../../i18n/permissions"
import { useTable } from "../../i18n/table"
import { menuPanel, menuTitle } from "../../ui/menu"
import type { Chosen } from "./choice"
import { type ChoiceProps, PresetFace } from "./faces"
import { MenuChoice as Item } from "./MenuChoice"
import { PlanChoice } from "./PlanChoice"

const FOLLOW = "follow"

/** What tools may do in this conversation. Opens as soon as it is drawn. */
export default function PresetMenu({ chosen, onChoose }: ChoiceProps) {
  const say = useTable(permissionWords)
  return (
    <DropdownMenu.Root defaultOpen>
      <DropdownMenu.Trigger asChild>
        <PresetFace chosen={chosen} />
      </DropdownMenu.Trigger>
      <DropdownMenu.Portal>
        <DropdownMenu.Content side="top" align="start" sideOffset={6} collisionPadding={8} className={`${menuPanel} w-[min(22rem,calc(100vw-1rem))]`}>
          <DropdownMenu.Label className={menuTitle}>{say("title")}</DropdownMenu.Label>
          <DropdownMenu.RadioGroup
            value={chosen.preset || FOLLOW}
            onValueChange={(preset) => onChoose({ preset: preset === FOLLOW ? "" : (preset as Chosen["preset"]) })}
            aria-label={say("title")}
          >
            <Item value={FOLLOW}>{say("followHere")}</Item>
            {presets.map((preset) => (
              <Item key={preset} value={preset}>
                <span className="block">{say(preset)}</span>
                <span className="block text-small text-ink-3">{say(`${preset}Text`)}</span>
              </Item>
            ))}
          </DropdownMenu.RadioGroup>
          <PlanChoice on={chosen.plan} onChoose={(plan) => onChoose({ plan })} />
        </DropdownMenu.Content>
      </DropdownMenu.Portal>
    </DropdownMenu.Root>
  )
}
