import type { ButtonHTMLAttributes } from "react"

import { cx } from "../../lib/cx"

const looks = {
  primary: "bg-accent text-on-accent hover:bg-accent-strong",
  plain: "border border-line-strong bg-canvas hover:bg-hover",
  danger: "bg-danger text-canvas hover:opacity-90",
}

interface Props extends ButtonHTMLAttributes<HTMLButtonElement> {
  look?: keyof typeof looks
}

export function Button({ look = "plain", className, type = "button", ...rest }: Props) {
  return <button type={type} className={cx("inline-flex min-h-10 items-center justify-center gap-2 rounded-md px-4 text-ui font-medium transition-colors disabled:opacity-60", looks[look], className)} {...rest} />
}
