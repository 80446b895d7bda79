import { Menu, SquarePen, X } from "lucide-react"

import { cx } from "../../lib/cx"
import { useSay } from "../lib/language"
import { close, embedded, service } from "../lib/service"
import { Badge } from "../ui/Badge"
import { IconButton } from "../ui/IconButton"

/** The head of the page: what this service is, and on narrow pages the way to the conversations. */
export function Head({ onMenu, onNew }: { onMenu: () => void; onNew: () => void }) {
  const say = useSay()
  return (
    <header className={cx("flex h-14 shrink-0 items-center gap-1 px-2 md:px-5", !embedded && "md:hidden")}>
      <span className="md:hidden">
        <IconButton label={say("app.menu")} onClick={onMenu} aria-haspopup="dialog">
          <Menu size={20} aria-hidden />
        </IconButton>
      </span>
      <span className="mr-auto flex min-w-0 items-center gap-2.5 px-1 md:hidden">
        <Badge />
        <span className="truncate text-ui font-semibold">{service.name}</span>
      </span>
      <span className="md:hidden">
        <IconButton label={say("app.new")} onClick={onNew}>
          <SquarePen size={19} aria-hidden />
        </IconButton>
      </span>
      {embedded && (
        <span className="md:ml-auto">
          <IconButton label={say("app.close")} onClick={close}>
            <X size={20} aria-hidden />
          </IconButton>
        </span>
      )}
    </header>
  )
}
