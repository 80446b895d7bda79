import type { PluginDraft } from "../../api/plugins"
import { pluginsWords } from "../../i18n/plugins"
import { useTable } from "../../i18n/table"

type About = Pick<PluginDraft, "description" | "program" | "permissions" | "tools" | "commands" | "hooks" | "enrichers" | "channels" | "widgets">

/** What a plugin runs and adds, and what it may, or asks for. */
export function Contributions({ about: { description, program, permissions, tools, commands, hooks, enrichers, channels, widgets } }: { about: About }) {
  const say = useTable(pluginsWords)
  const added = [
    ...(tools ?? []).map((tool) => [tool.name, say(tool.class)]),
    ...(hooks ?? []).map(({ event, matcher, if: when, on_error }) => [[event, matcher, when].filter(Boolean).join(" "), say(`fails_${on_error}`)]),
    ...[...(commands ?? []), ...(enrichers ?? []), ...(channels ?? [])].map((name) => [name, ""]),
    ...(widgets ?? []).map((title) => [title, say("panel")]),
  ]
  return (
    <div className="space-y-2 text-small">
      {description && <p className="break-words text-ink-2">{description}</p>}
      {program?.length ? (
        <p className="break-words text-ink-2">
          {say("runs")} <span className="font-mono">{program.map((word) => (/^[\w./:=@%+,-]+$/.test(word) ? word : JSON.stringify(word))).join(" ")}</span>
        </p>
      ) : null}
      {added.length > 0 && (
        <>
          <p>{say("adds")}</p>
          <ul className="list-disc pl-5">
            {added.map(([name, effect], i) => (
              <li key={i} className="break-words">
                <span className="font-mono">{name}</span>
                {effect && `: ${effect}`}
              </li>
            ))}
          </ul>
        </>
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
