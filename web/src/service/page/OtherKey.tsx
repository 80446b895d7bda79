import { useState } from "react"

import { useStore } from "../../lib/store"
import { checkKey } from "../api/calls"
import { Problem } from "../api/problem"
import { refreshList } from "../chat/list"
import { offered, takeKey } from "../lib/key"
import { useSay } from "../lib/language"
import { Button } from "../ui/Button"
import { Dialog } from "../ui/Dialog"
import { go } from "./address"
import { useTrouble } from "./trouble"

/** Asks whether the key of a link takes the place of the one that is kept, which it does once it was tried. */
export function OtherKey() {
  const key = useStore(offered)
  return key === undefined ? null : <Question key={key} other={key} />
}

function Question({ other }: { other: string }) {
  const say = useSay()
  const sayTrouble = useTrouble()
  const [busy, setBusy] = useState(false)
  const [problem, setProblem] = useState<Problem>()
  const keep = () => offered.set(undefined)
  const take = async () => {
    setBusy(true)
    try {
      await checkKey(other)
    } catch (error) {
      setBusy(false)
      setProblem(error instanceof Problem ? error : new Problem("busy"))
      return
    }
    keep()
    takeKey(other)
    refreshList()
    go(undefined)
  }
  return (
    <Dialog label={say("key.otherTitle")} onClose={keep}>
      <div className="p-6">
        <h2 className="text-body font-semibold">{say("key.otherTitle")}</h2>
        <p className="mt-2 text-ink-2">{say("key.otherBody")}</p>
        {problem !== undefined && (
          <p role="alert" className="mt-3 text-danger">
            {problem.kind === "key" ? say("key.refused") : sayTrouble(problem)}
          </p>
        )}
        <div className="mt-6 flex justify-end gap-2">
          <Button onClick={keep}>{say("key.otherKeep")}</Button>
          <Button look="danger" disabled={busy} onClick={() => void take()}>
            {say(busy ? "key.checking" : "key.otherTake")}
          </Button>
        </div>
      </div>
    </Dialog>
  )
}
