import { type SyntheticEvent, useState } from "react"

import { checkKey } from "../api/calls"
import { Problem } from "../api/problem"
import { refreshList } from "../chat/list"
import { access, isKey, takeKey } from "../lib/key"
import { type Say, useSay } from "../lib/language"
import { Button } from "../ui/Button"
import { Front } from "./Front"
import { useTrouble } from "./trouble"

/** Where a visitor enters the key. It is tried before it is kept. */
export function KeyForm({ refused }: { refused: boolean }) {
  const say = useSay()
  const sayTrouble = useTrouble()
  const [text, setText] = useState("")
  const [shown, setShown] = useState(false)
  const [busy, setBusy] = useState(false)
  const [trouble, setTrouble] = useState<(say: Say) => string>()
  const submit = async (event: SyntheticEvent) => {
    event.preventDefault()
    const key = text.trim()
    if (!isKey(key)) {
      setTrouble(() => (say: Say) => say("key.malformed"))
      return
    }
    setBusy(true)
    setTrouble(undefined)
    try {
      await checkKey(key)
      takeKey(key)
      refreshList()
    } catch (error) {
      setBusy(false)
      const problem = error instanceof Problem ? error : new Problem("busy")
      if (problem.kind === "withdrawn") {
        takeKey(key)
        access.set("withdrawn")
      }
      setTrouble(() => (say: Say) => (problem.kind === "key" ? say("key.refused") : sayTrouble(problem)))
    }
  }
  const told = trouble?.(say) ?? (refused && !busy ? say("key.refused") : undefined)
  return (
    <Front>
      <form onSubmit={(event) => void submit(event)} className="mt-8 w-full text-left" noValidate>
        <label htmlFor="key" className="font-medium">
          {say("key.label")}
        </label>
        <div className="mt-1.5 flex rounded-md border border-line-strong bg-canvas focus-within:outline-2 focus-within:outline-accent">
          <input
            id="key"
            type={shown ? "text" : "password"}
            value={text}
            onChange={(event) => setText(event.currentTarget.value)}
            autoComplete="off"
            autoCapitalize="off"
            spellCheck={false}
            aria-describedby="key-hint"
            aria-invalid={told !== undefined}
            className="h-11 min-w-0 flex-1 bg-transparent px-3 font-mono text-body outline-none"
          />
          <button type="button" onClick={() => setShown(!shown)} aria-pressed={shown} className="shrink-0 rounded-md px-3 text-small text-ink-2 hover:text-ink">
            {say(shown ? "key.hide" : "key.show")}
          </button>
        </div>
        <p id="key-hint" className="mt-1.5 text-small text-ink-3">
          {say("key.hint")}
        </p>
        {told !== undefined && (
          <p role="alert" className="mt-3 text-danger">
            {told}
          </p>
        )}
        <Button type="submit" look="primary" disabled={busy || text.trim() === ""} className="mt-5 w-full">
          {say(busy ? "key.checking" : "key.submit")}
        </Button>
      </form>
    </Front>
  )
}
