import type { Role } from "../../api/people"
import { accountsWords } from "../../i18n/accounts"
import { useTable } from "../../i18n/table"
import { Select } from "../../ui/Select"

const roles: Role[] = ["member", "admin"]

/** What somebody is to be. */
export function RoleField({ value, onChange }: { value: Role; onChange: (role: Role) => void }) {
  const say = useTable(accountsWords)
  return <Select label={say("role")} value={value} options={roles} say={say} onChange={onChange} />
}
