import { Check } from "lucide-react"
import { DropdownMenu } from "radix-ui"
import type { ReactNode } from "react"

import { menuItem } from "../../ui/menu"

/** One of a list, marked when it is the chosen one. */
export function MenuChoice({ value, disabled, children }: { value: string; disabled?: boolean; children: ReactNode }) {
  return (
    <DropdownMenu.RadioItem value={value} disabled={disabled} className={`${menuItem} cursor-pointer`}>
      <span className="min-w-0 flex-1">{children}</span>
      <DropdownMenu.ItemIndicator>
        <Check size={15} aria-hidden className="text-accent" />
      </DropdownMenu.ItemIndicator>
    </DropdownMenu.RadioItem>
  )
}
