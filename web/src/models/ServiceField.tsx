import { useId } from "react"

import { modelsWords } from "../i18n/models"
import { useTable } from "../i18n/table"
import { cx } from "../lib/cx"
import { type Service, servicesFor } from "./services"

interface Props {
  shared: boolean
  value: Service
  onChange: (service: Service) => void
}

/** Which service a new subscription is to. */
export function ServiceField({ shared, value, onChange }: Props) {
  const say = useTable(modelsWords)
  const group = useId()
  return (
    <fieldset>
      <legend className="mb-1.5 font-medium">{say("service")}</legend>
      <div className="flex flex-wrap gap-1.5">
        {servicesFor(shared).map((service) => (
          <label
            key={service.id}
            className={cx(
              "cursor-pointer rounded-lg border px-3 py-1 text-small has-focus-visible:outline-2 has-focus-visible:outline-offset-2 has-focus-visible:outline-accent",
              value.id === service.id ? "border-accent bg-accent-soft font-medium text-accent" : "border-line-strong text-ink-2 hover:text-ink",
            )}
          >
            <input type="radio" name={group} className="sr-only" checked={value.id === service.id} onChange={() => onChange(service)} />
            {say(`service_${service.id}`)}
          </label>
        ))}
      </div>
    </fieldset>
  )
}
