import type { ButtonHTMLAttributes, ReactNode, Ref } from "react"

import { cx } from "../lib/cx"

interface Props extends ButtonHTMLAttributes<HTMLButtonElement> {
  /** Name of the button, read aloud and shown on hover. */
  label: string
  children: ReactNode
  small?: boolean
  /** Rounder corners, for buttons inside of a round frame. */
  round?: boolean
  ref?: Ref<HTMLButtonElement>
}

/** A button that shows only an icon. */
export function IconButton({ label, children, small, round, className, type = "button", ...rest }: Props) {
  return (
    <button
      type={type}
      aria-label={label}
      data-tip={label}
      className={cx(
        "inline-flex shrink-0 items-center justify-center text-ink-2 transition-colors hover:bg-hover hover:text-ink",
        "data-[state=open]:bg-hover data-[state=open]:text-ink disabled:opacity-50",
        small ? "size-7" : "size-9",
        round ? "rounded-lg" : "rounded-md",
        className,
      )}
      {...rest}
    >
      {children}
    </button>
  )
}
