import { subagentWords } from "../../i18n/subagents"
import { useTable } from "../../i18n/table"
import { Note } from "../../ui/Note"

/** Stands for the composer where nobody can write any more. */
export default function ReadOnlyNote() {
  const say = useTable(subagentWords)
  return <Note tone="plain">{say("answered")}</Note>
}
