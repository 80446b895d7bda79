import { ChevronsUpDown } from "lucide-react"
import { type ComponentProps, lazy, Suspense } from "react"

import { useAccount } from "../../account/account"
import { useT } from "../../i18n"

const InboxBadge = lazy(() => import("../../services/inbox/Badge").catch(() => ({ default: () => null }))) // the server may be away

/** The button with the person's name and the model that answers; an administrator sees how much waits in the inbox. */
export function AccountFace(props: ComponentProps<"button">) {
  const t = useT()
  const { me } = useAccount()
  return (
    <button
      type="button"
      className="relative flex h-11 w-full items-center gap-2.5 rounded-md px-2 text-left outline-offset-[-2px] hover:bg-hover data-[state=open]:bg-hover"
      {...props}
    >
      <span aria-hidden className="grid size-7 shrink-0 place-items-center rounded-full bg-accent-soft text-small font-semibold text-accent uppercase">
        {Array.from(me.user.name)[0]}
      </span>
      <span className="sr-only">{t("account.label")}:</span>
      <span className="min-w-0 flex-1">
        <span className="block truncate font-medium">{me.user.name}</span>
        <span className="block truncate text-small text-ink-3">{me.model}</span>
      </span>
      {me.user.role === "admin" && (
        <Suspense>
          <InboxBadge />
        </Suspense>
      )}
      <ChevronsUpDown size={15} aria-hidden className="text-ink-3" />
    </button>
  )
}
