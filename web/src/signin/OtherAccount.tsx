import { Link } from "@tanstack/react-router"

import { useT } from "../i18n"
import { Button, buttonLook } from "../ui/Button"
import { Frame } from "./Frame"

/** A sign-in link of another account than the one that is signed in. */
export interface OtherLink {
  token: string
  user: string
  signedIn: string
}

/** Asks before a link replaces a login: somebody may have sent it so that a person works in the wrong account. */
export function OtherAccount({ link: { user, signedIn }, onReplace }: { link: OtherLink; onReplace: () => void }) {
  const t = useT()
  return (
    <Frame title={t("signin.otherTitle", { name: user })}>
      <p className="mt-2 text-ink-2">{t("signin.otherText", { name: user, signedIn })}</p>
      <Link to="/" replace className={buttonLook("primary", "mt-6 h-10 w-full")}>
        {t("signin.otherStay", { name: signedIn })}
      </Link>
      <Button className="mt-3 h-10 w-full" onClick={onReplace}>
        {t("signin.otherReplace", { name: user })}
      </Button>
    </Frame>
  )
}
