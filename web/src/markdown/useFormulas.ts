import { useEffect, useState } from "react"

type Formulas = typeof import("./formulas")

let loaded: Formulas | undefined

/** The parts that draw formulas, once they are needed and loaded. */
export function useFormulas(needed: boolean): Formulas | undefined {
  const [formulas, setFormulas] = useState(loaded)
  useEffect(() => {
    if (!needed || formulas) return
    import("./formulas")
      .then((module) => {
        loaded = module
        setFormulas(module)
      })
      .catch((error: unknown) => console.error("formulas cannot be drawn", error))
  }, [needed, formulas])
  return needed ? formulas : undefined
}
