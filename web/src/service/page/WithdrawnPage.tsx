import { access } from "../lib/key"
import { useSay } from "../lib/language"
import { Button } from "../ui/Button"
import { Front } from "./Front"

/** What a visitor sees of a service that was withdrawn while the page was open. */
export function WithdrawnPage() {
  const say = useSay()
  return (
    <Front title={say("withdrawn.title")} lead={say("withdrawn.lead")}>
      <Button look="primary" className="mt-8 w-full" onClick={() => access.set("given")}>
        {say("withdrawn.again")}
      </Button>
    </Front>
  )
}
