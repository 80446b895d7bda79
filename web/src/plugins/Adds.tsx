import type { PluginDraft } from "../api/plugins"
import { pluginsWords } from "../i18n/plugins"
import { useTable } from "../i18n/table"

type About = Pick<PluginDraft, "description" | "permissions" | "tools" | "commands" | "hooks" | "enrichers">

/** What a plugin adds, and what it may, or asks for. */
export function Adds({ about: { description, permissions, tools, commands, hooks, enrichers } }: { about: About }) {
  const say = useTable(pluginsWords)
  const added = [...(tools ?? []), ...(commands ?? []), ...(hooks ?? []), ...(enrichers ?? [])]
  return (
    <div className="space-y-2 text-small">
      {description && <p className="break-words text-ink-2">{description}</p>}
      {added.length > 0 && (
        <p className="break-words text-ink-2">
          {say("adds")} <span className="font-mono">{added.join(", ")}</span>
        </p>
      )}
      {permissions?.length ? (
        <>
          <p>{say("asks")}</p>
          <ul className="list-disc pl-5">
            {permissions.map(({ name }) => (
              <li key={name}>
                <span className="font-mono">{name}</span>: {say(name)}
              </li>
            ))}
          </ul>
        </>
      ) : (
        <p>{say("asksNothing")}</p>
      )}
    </div>
  )
}
