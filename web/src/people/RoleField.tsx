import { useId } from "react"

import type { Role } from "../api/people"
import { accountsWords } from "../i18n/accounts"
import { useTable } from "../i18n/table"

const roles: Role[] = ["member", "admin"]

/** What somebody is to be. */
export function RoleField({ value, onChange }: { value: Role; onChange: (role: Role) => void }) {
  const say = useTable(accountsWords)
  const id = useId()
  return (
    <div>
      <label htmlFor={id} className="mb-1.5 block font-medium">
        {say("role")}
      </label>
      <select
        id={id}
        value={value}
        onChange={({ target }) => onChange(roles.find((role) => role === target.value) ?? "member")}
        className="h-10 rounded-md border border-line-strong bg-canvas px-2 text-body"
      >
        {roles.map((role) => (
          <option key={role} value={role}>
            {say(role)}
          </option>
        ))}
      </select>
    </div>
  )
}
