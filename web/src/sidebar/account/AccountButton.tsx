import { lazy, Suspense, useState } from "react"

import { AccountFace } from "./AccountFace"

const load = () => import("./AccountMenu")
const AccountMenu = lazy(load)

/** Who is signed in; opens the menu of the account, which is loaded when somebody reaches for it. */
export function AccountButton() {
  const [wanted, setWanted] = useState(false)
  const button = (
    <AccountFace
      aria-haspopup="menu"
      aria-expanded={false}
      onPointerEnter={() => void load()}
      onFocus={() => void load()}
      onClick={() => setWanted(true)}
    />
  )
  return wanted ? (
    <Suspense fallback={button}>
      <AccountMenu />
    </Suspense>
  ) : (
    button
  )
}
