import { useT } from "../i18n"
import { Note } from "./Note"

/** Stands for what is being read, or says why it could not be. */
export function Pending({ error }: { error: Error | null }) {
  const t = useT()
  return error ? <Note tone="danger">{error.message}</Note> : <p className="text-small text-ink-3">{t("app.loading")}</p>
}
