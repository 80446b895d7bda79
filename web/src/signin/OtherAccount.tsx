import { Link } from "@tanstack/react-router"

import { otherAccountWords } from "../i18n/other-account"
import { useTable } from "../i18n/table"
import { Button, buttonLook } from "../ui/Button"
import { Frame } from "./Frame"

/** A sign-in link of another account than the signed-in one. */
export interface OtherLink {
  token: string
  user: string
  signedIn: string
}

/** Asks before a link replaces a login: an attacker may have sent it to make the user work in the attacker's account. */
export default function OtherAccount({ link: { user, signedIn }, onReplace }: { link: OtherLink; onReplace: () => void }) {
  const say = useTable(otherAccountWords)
  return (
    <Frame title={say("title", { name: user })}>
      <p className="mt-2 text-ink-2">{say("text", { name: user, signedIn })}</p>
      <Link to="/" replace className={buttonLook("primary", "mt-6 h-10 w-full")}>
        {say("stay", { name: signedIn })}
      </Link>
      <Button className="mt-3 h-10 w-full" onClick={onReplace}>
        {say("replace", { name: user })}
      </Button>
    </Frame>
  )
}
