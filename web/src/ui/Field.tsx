import { type InputHTMLAttributes, type ReactNode, type Ref, useId, useState } from "react"

import { useT } from "../i18n"
import { cx } from "../lib/cx"

interface Props extends InputHTMLAttributes<HTMLInputElement> {
  label: string
  hint?: string
  problem?: string
  /** Shown inside the field, at its end. */
  trailing?: ReactNode
  ref?: Ref<HTMLInputElement>
}

/** A labelled text field. */
export function Field({ label, hint, problem, trailing, className, ...rest }: Props) {
  const id = useId()
  const note = problem ?? hint
  return (
    <div className={className}>
      <label htmlFor={id} className="mb-1.5 block font-medium">
        {label}
      </label>
      <div className="relative">
        <input
          id={id}
          aria-invalid={problem !== undefined || undefined}
          aria-describedby={note ? `${id}-note` : undefined}
          className={cx(
            "h-10 w-full rounded-md border bg-canvas px-3 text-body outline-none transition-colors placeholder:text-ink-3",
            "focus-visible:border-accent focus-visible:outline-2 focus-visible:-outline-offset-1 focus-visible:outline-accent",
            problem ? "border-danger" : "border-line-strong",
            trailing !== undefined && "pr-16",
          )}
          {...rest}
        />
        {trailing !== undefined && <div className="absolute inset-y-0 right-1 flex items-center">{trailing}</div>}
      </div>
      {note && (
        <p id={`${id}-note`} className={cx("mt-1.5 text-small", problem ? "text-danger" : "text-ink-3")}>
          {note}
        </p>
      )}
    </div>
  )
}

/** A field for a password, which can be shown. */
export function PasswordField(props: Omit<Props, "type" | "trailing">) {
  const t = useT()
  const [shown, setShown] = useState(false)
  return (
    <Field
      {...props}
      type={shown ? "text" : "password"}
      trailing={
        <button
          type="button"
          aria-pressed={shown}
          onClick={() => setShown(!shown)}
          className="h-8 rounded-sm px-2 text-small text-ink-2 hover:text-ink"
        >
          {shown ? t("password.hide") : t("password.show")}
        </button>
      }
    />
  )
}
