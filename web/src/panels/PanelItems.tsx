import { useQuery } from "@tanstack/react-query"
import { useNavigate } from "@tanstack/react-router"
import { PanelsTopLeft } from "lucide-react"
import { DropdownMenu } from "radix-ui"

import { useLanguage } from "../i18n"
import { menuItem } from "../ui/menu"
import { panelsQuery } from "./queries"

/** An item of the menu for each panel of a plugin. */
export function PanelItems() {
  const language = useLanguage()
  const navigate = useNavigate()
  const { data } = useQuery(panelsQuery)
  return data?.map(({ plugin, widget, title }) => (
    <DropdownMenu.Item key={`${plugin}/${widget}`} className={menuItem} onSelect={() => void navigate({ to: "/panels/$plugin/$widget", params: { plugin, widget } })}>
      <PanelsTopLeft size={15} aria-hidden className="shrink-0" /> <span className="truncate">{title[language] || title.en}</span>
    </DropdownMenu.Item>
  ))
}
