import { Check } from "lucide-react"
import { DropdownMenu } from "radix-ui"

import { planWords } from "../../i18n/plans"
import { useTable } from "../../i18n/table"
import { menuItem, menuLine } from "../../ui/menu"

/** Whether plans are approved before anything is changed here; the last of the menu of what tools may do. */
export function PlanChoice({ on, onChoose }: { on: boolean; onChoose: (on: boolean) => void }) {
  const t = useTable(planWords)
  return (
    <>
      <DropdownMenu.Separator className={menuLine} />
      <DropdownMenu.CheckboxItem checked={on} onCheckedChange={onChoose} className={`${menuItem} cursor-pointer`}>
        <span className="min-w-0 flex-1">
          <span className="block">{t("first")}</span>
          <span className="block text-small text-ink-3">{t("firstText")}</span>
        </span>
        <DropdownMenu.ItemIndicator>
          <Check size={15} aria-hidden className="text-accent" />
        </DropdownMenu.ItemIndicator>
      </DropdownMenu.CheckboxItem>
    </>
  )
}
