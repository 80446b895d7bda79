import { Brain, ClipboardList, Eye, Hand, ListOrdered, ShieldCheck } from "lucide-react"
import type { ComponentProps } from "react"

import { useAccount } from "../../account/account"
import { useT } from "../../i18n"
import { permissionWords } from "../../i18n/permissions"
import { useTable } from "../../i18n/table"
import { cx } from "../../lib/cx"
import { type Chosen, modelInForce, shortName } from "./choice"

export interface ChoiceProps {
  chosen: Chosen
  onChoose: (change: Partial<Chosen>) => void
  /** Model that answers when none is chosen here, where that is known. */
  fallback?: string
}

const faceLook =
  "flex h-9 min-w-9 items-center gap-1.5 rounded-lg px-2 text-small text-ink-2 transition-colors hover:bg-hover hover:text-ink data-[state=open]:bg-hover data-[state=open]:text-ink"

/** The model that answers, and how much it thinks if that was chosen here. */
export function ModelFace({ chosen, fallback, ...rest }: Omit<ChoiceProps, "onChoose"> & ComponentProps<"button">) {
  const t = useT()
  const { me } = useAccount()
  const { model, from } = modelInForce(chosen.model, fallback, me)
  const told = t(`choice.model_${from}`, { model })
  return (
    <button type="button" aria-haspopup="menu" aria-expanded={false} data-tip={told} className={faceLook} {...rest}>
      <span className="sr-only">{t("choice.label")}</span>
      <span className={cx("truncate", from === "session" && "font-medium text-ink")}>{shortName(model)}</span>
      {chosen.think !== "" && (
        <span className="flex shrink-0 items-center gap-1 text-ink-3">
          <Brain size={13} aria-hidden /> {t(`think.${chosen.think as "off"}`)}
        </span>
      )}
    </button>
  )
}

/** How messages wait, in a word where that was chosen here. */
export function QueueFace({ chosen, ...rest }: Pick<ChoiceProps, "chosen"> & ComponentProps<"button">) {
  const t = useT()
  const mode = chosen.queue === "" ? "default" : chosen.queue
  const label = t("queue.label", { mode: t(`queue.mode_${mode}`) })
  return (
    <button type="button" aria-haspopup="menu" aria-expanded={false} aria-label={label} data-tip={label} className={cx(faceLook, "shrink-0")} {...rest}>
      <ListOrdered size={15} aria-hidden className="text-ink-3" />
      {mode !== "default" && <span className="hidden md:inline">{t(`queue.mode_${mode}`)}</span>}
    </button>
  )
}

const presetIcons = { read_only: Eye, ask: Hand, auto: ShieldCheck }

/** What tools may do, in a word where that was chosen here. */
export function PresetFace({ chosen: { preset, plan }, ...rest }: Pick<ChoiceProps, "chosen"> & ComponentProps<"button">) {
  const say = useTable(permissionWords)
  const Icon = presetIcons[preset || "auto"]
  const label = say("label", { preset: preset === "" ? say("followHere") : say(preset) }) + (plan ? ` · ${say("planFirst")}` : "")
  return (
    <button type="button" aria-haspopup="menu" aria-expanded={false} aria-label={label} data-tip={label} className={cx(faceLook, "shrink-0")} {...rest}>
      <Icon size={15} aria-hidden className={preset === "read_only" || preset === "ask" ? "text-warn" : "text-ink-3"} />
      {plan && <ClipboardList size={15} aria-hidden className="text-accent" />}
      {preset !== "" && <span className="hidden md:inline">{say(preset)}</span>}
    </button>
  )
}
