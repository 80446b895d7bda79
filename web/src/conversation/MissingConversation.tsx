import { Link } from "@tanstack/react-router"

import { useT } from "../i18n"
import { Header } from "./Header"

/** The address names a conversation that is not there. */
export function MissingConversation() {
  const t = useT()
  return (
    <main id="main" tabIndex={-1} className="flex h-full min-w-0 flex-1 flex-col outline-none">
      <Header />
      <div className="flex flex-1 flex-col items-center gap-4 p-6 pt-[20vh] text-center">
        <h1 className="text-ui">{t("conversation.missing")}</h1>
        <Link to="/" className="text-accent underline underline-offset-4">
          {t("app.home")}
        </Link>
      </div>
    </main>
  )
}
