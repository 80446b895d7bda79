import { useQuery } from "@tanstack/react-query"
import { DropdownMenu } from "radix-ui"

import { useAccount } from "../../account/account"
import type { Model } from "../../api/models"
import { asProblem } from "../../api/problem"
import { modelsQuery } from "../../api/queries"
import { useLanguage, useT } from "../../i18n"
import { tokens } from "../../i18n/format"
import { menuLine, menuPanel, menuTitle } from "../../ui/menu"
import { modelInForce } from "./choice"
import { type ChoiceProps, ModelFace } from "./faces"
import { MenuChoice as Item } from "./MenuChoice"

/** The models that can be chosen, and how much they think. Opens as soon as it is drawn. */
export default function ModelMenu({ chosen, onChoose, fallback }: ChoiceProps) {
  const t = useT()
  const { me } = useAccount()
  const { data, error } = useQuery(modelsQuery)
  const standard = modelInForce("", fallback, me).model
  return (
    <DropdownMenu.Root defaultOpen>
      <DropdownMenu.Trigger asChild>
        <ModelFace chosen={chosen} fallback={fallback} />
      </DropdownMenu.Trigger>
      <DropdownMenu.Portal>
        <DropdownMenu.Content side="top" align="start" sideOffset={6} collisionPadding={8} className={`${menuPanel} w-[min(22rem,calc(100vw-1rem))]`}>
          <DropdownMenu.Label className={menuTitle}>{t("choice.models")}</DropdownMenu.Label>
          {error && <p className="px-2.5 py-1 text-small text-danger">{asProblem(error).message}</p>}
          <DropdownMenu.RadioGroup value={chosen.model} onValueChange={(model) => onChoose({ model })} aria-label={t("choice.models")}>
            <Item value="">
              <span className="block truncate">{t("choice.default")}</span>
              <span className="block truncate text-small text-ink-3">{standard}</span>
            </Item>
            {data?.models.map((model) => <ModelItem key={model.id} model={model} />)}
          </DropdownMenu.RadioGroup>
          {data && data.think.length > 0 && (
            <>
              <DropdownMenu.Separator className={menuLine} />
              <DropdownMenu.Label className={menuTitle}>{t("choice.think")}</DropdownMenu.Label>
              <Levels levels={data.think} chosen={chosen.think} onChoose={(think) => onChoose({ think })} />
            </>
          )}
        </DropdownMenu.Content>
      </DropdownMenu.Portal>
    </DropdownMenu.Root>
  )
}

function ModelItem({ model }: { model: Model }) {
  const t = useT()
  const language = useLanguage()
  const facts = [model.alias.join(", "), model.max_context > 0 && t("choice.window", { size: tokens(language, model.max_context) }), !model.available && t("choice.unavailable")]
  return (
    <Item value={model.id} disabled={!model.available}>
      <span className="block truncate">{model.id}</span>
      <span className="block truncate text-small text-ink-3">{facts.filter(Boolean).join(" · ")}</span>
    </Item>
  )
}

/** How much the model thinks. The menu stays open, since one may want to choose a model too. */
function Levels({ levels, chosen, onChoose }: { levels: string[]; chosen: string; onChoose: (level: string) => void }) {
  const t = useT()
  return (
    <DropdownMenu.RadioGroup value={chosen} onValueChange={onChoose} aria-label={t("choice.think")} className="flex flex-wrap gap-1 px-1.5 pb-1.5">
      {["", ...levels].map((level) => (
        <DropdownMenu.RadioItem
          key={level}
          value={level}
          onSelect={(event) => event.preventDefault()}
          className="cursor-pointer rounded-sm px-2 py-1 text-small text-ink-2 outline-none data-highlighted:bg-hover data-[state=checked]:bg-accent-soft data-[state=checked]:text-accent"
        >
          {t(level === "" ? "think.default" : `think.${level as "off"}`)}
        </DropdownMenu.RadioItem>
      ))}
    </DropdownMenu.RadioGroup>
  )
}
