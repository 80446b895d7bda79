import { cx } from "../../lib/cx"
import { service } from "../lib/service"

const initial = String.fromCodePoint(service.name.trim().codePointAt(0) ?? 0x78).toUpperCase()

/** The first letter of the service's name stands for it. */
export function Badge({ large }: { large?: boolean }) {
  return (
    <span aria-hidden className={cx("inline-flex shrink-0 items-center justify-center bg-accent font-semibold text-on-accent select-none", large ? "size-14 rounded-xl text-title" : "size-8 rounded-md text-ui")}>
      {initial}
    </span>
  )
}
