import { Link } from "@tanstack/react-router"
import { useState } from "react"

import { useAccount } from "../account/account"
import { modelsWords } from "../i18n/models"
import { useTable } from "../i18n/table"
import { readItem, writeItem } from "../lib/storage"
import { HostPreset } from "../permissions/HostPreset"
import { Button, buttonLook } from "../ui/Button"

/** Says that the built-in demo answers, and what to do about it, and asks what tools may do, until somebody goes on with the demo. */
export default function ConnectCard() {
  const say = useTable(modelsWords)
  const { me } = useAccount()
  const place = `xbot.demo.${me.user.id}`
  const [dismissed, setDismissed] = useState(() => readItem(place) !== null)
  if (dismissed) return null
  const admin = me.user.role === "admin"
  const text = say(admin ? "demoAdmin" : "demoMember")
  const stay = () => {
    writeItem(place, "on")
    setDismissed(true)
  }
  return (
    <section aria-label={say("connect")} className="rounded-lg border border-line bg-raised px-4 py-3">
      <p className="text-ink-2">{text}</p>
      <div className="mt-3 flex flex-wrap gap-2">
        <Link to="/settings/{-$section}" params={{ section: "models" }} search={{ add: admin ? "shared" : "own" }} className={buttonLook("plain")}>
          {say(admin ? "connect" : "connectOwn")}
        </Link>
        {admin && (
          <Link to="/settings/{-$section}" params={{ section: "permissions" }} className={buttonLook("plain")}>
            {say("chooseTools")}
          </Link>
        )}
        <Button look="quiet" onClick={stay}>
          {say("stay")}
        </Button>
      </div>
      {admin && <HostPreset />}
    </section>
  )
}
