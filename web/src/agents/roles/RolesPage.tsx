import { useQuery } from "@tanstack/react-query"
import { ArrowLeft, Plus } from "lucide-react"
import { useState } from "react"

import type { Role } from "../../api/roles"
import { roleWords } from "../../i18n/roles"
import { useTable } from "../../i18n/table"
import { Button } from "../../ui/Button"
import { Pending } from "../../ui/Pending"
import { draftOf, noRole } from "./draft"
import { rolesQuery } from "./queries"
import { RoleForm } from "./RoleForm"
import { RoleRow } from "./RoleRow"

/** Whom a model can hand work to: roles of the program and the installation, which can be switched off, and a person's own. */
export default function RolesPage() {
  const say = useTable(roleWords)
  const { data, error } = useQuery(rolesQuery)
  const [open, setOpen] = useState<{ role?: Role }>() // one of the person's own is changed, another one copied
  if (!data) return <Pending error={error} />
  if (open) {
    const { role } = open
    const close = () => setOpen(undefined)
    const changes = role?.source === "own"
    return (
      <div className="space-y-4">
        <div className="flex items-center gap-3">
          <Button look="quiet" onClick={close}>
            <ArrowLeft size={15} aria-hidden /> {say("back")}
          </Button>
          <h3 className="font-semibold">{changes ? say("editLabel", { name: role.name }) : say("add")}</h3>
        </div>
        <RoleForm of={changes ? role : undefined} begin={role ? { ...draftOf(role, data.tools), enabled: changes ? role.enabled : true } : noRole} pool={data.tools} onDone={close} />
      </div>
    )
  }
  return (
    <div className="space-y-4">
      <p className="text-ink-2">{say("lead")}</p>
      <Button onClick={() => setOpen({})}>
        <Plus size={15} aria-hidden /> {say("add")}
      </Button>
      <ul aria-label={say("list")} className="divide-y divide-line">
        {data.roles.map((role) => (
          <RoleRow key={`${role.source} ${role.id} ${role.name}`} role={role} onOpen={() => setOpen({ role })} />
        ))}
      </ul>
    </div>
  )
}
