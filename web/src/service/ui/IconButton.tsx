import type { ButtonHTMLAttributes, ReactNode } from "react"

import { cx } from "../../lib/cx"

interface Props extends ButtonHTMLAttributes<HTMLButtonElement> {
  /** Name of the button, read aloud and shown on hover. */
  label: string
  children: ReactNode
  small?: boolean
}

/** A button that shows only an icon. */
export function IconButton({ label, children, small, className, type = "button", ...rest }: Props) {
  return (
    <button
      type={type}
      aria-label={label}
      title={label}
      className={cx("inline-flex shrink-0 items-center justify-center rounded-md text-ink-2 transition-colors hover:bg-hover hover:text-ink disabled:opacity-50", small ? "size-8" : "size-10", className)}
      {...rest}
    >
      {children}
    </button>
  )
}
