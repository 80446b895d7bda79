import type { ButtonHTMLAttributes, Ref } from "react"

import { cx } from "../lib/cx"

type Look = "primary" | "plain" | "quiet" | "danger"

const looks: Record<Look, string> = {
  primary: "bg-accent text-on-accent hover:bg-accent-strong",
  plain: "border border-line-strong bg-canvas hover:bg-hover",
  quiet: "text-ink-2 hover:bg-hover hover:text-ink",
  danger: "bg-danger text-canvas hover:opacity-90",
}

interface Props extends ButtonHTMLAttributes<HTMLButtonElement> {
  look?: Look
  ref?: Ref<HTMLButtonElement>
}

/** The look of a button, for links that lead to something to do. */
export const buttonLook = (look: Look, className?: string): string =>
  cx(
    "inline-flex h-9 shrink-0 items-center justify-center gap-2 rounded-md px-3 text-ui font-medium whitespace-nowrap",
    "transition-colors disabled:opacity-60 aria-disabled:opacity-60",
    looks[look],
    className,
  )

export function Button({ look = "plain", className, type = "button", ...rest }: Props) {
  return <button type={type} className={buttonLook(look, className)} {...rest} />
}
