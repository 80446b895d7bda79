import { lazy, type ReactNode, Suspense, useState } from "react"

import { type ChoiceProps, ModelFace, PresetFace, QueueFace } from "./faces"

const loadModel = () => import("./ModelMenu")
const ModelMenu = lazy(loadModel)
const loadQueue = () => import("./QueueMenu")
const QueueMenu = lazy(loadQueue)
const loadPreset = () => import("./PresetMenu")
const PresetMenu = lazy(loadPreset)

/** Who answers, how much it thinks, how messages wait, and what tools may do: small and quiet, in the foot of the message box. */
export function Choices(props: ChoiceProps) {
  return (
    <div className="flex min-w-0 items-center">
      <Lazily face={<ModelFace chosen={props.chosen} fallback={props.fallback} />} load={loadModel}>
        <ModelMenu {...props} />
      </Lazily>
      <Lazily face={<QueueFace chosen={props.chosen} />} load={loadQueue}>
        <QueueMenu {...props} />
      </Lazily>
      <Lazily face={<PresetFace chosen={props.chosen} />} load={loadPreset}>
        <PresetMenu {...props} />
      </Lazily>
    </div>
  )
}

/** A button whose menu is loaded when somebody reaches for it. */
function Lazily({ face, load, children }: { face: ReactNode; load: () => Promise<unknown>; children: ReactNode }) {
  const [wanted, setWanted] = useState(false)
  const button = (
    <span className="flex min-w-9" onPointerEnter={() => void load()} onFocus={() => void load()} onClick={() => setWanted(true)}>
      {face}
    </span>
  )
  return wanted ? <Suspense fallback={button}>{children}</Suspense> : button
}
