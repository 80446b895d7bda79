import { KeyRound } from "lucide-react"
import type { ReactNode } from "react"

import { setTheme, type Theme, useTheme } from "../../ui/theme"
import { forgetKey } from "../lib/key"
import { type Language, languages, setLanguage, useLanguage, useSay } from "../lib/language"

/** How the page looks and speaks, and the way to another key. */
export function Settings({ keyless }: { keyless?: boolean }) {
  const say = useSay()
  const language = useLanguage()
  const theme = useTheme()
  return (
    <div className="space-y-1 border-t border-line px-2.5 py-3 text-small text-ink-2">
      <Choice label={say("app.language")} value={language} onChange={(value) => setLanguage(value as Language)}>
        {Object.entries(languages).map(([id, name]) => (
          <option key={id} value={id}>
            {name}
          </option>
        ))}
      </Choice>
      <Choice label={say("app.theme")} value={theme} onChange={(value) => setTheme(value as Theme)}>
        {(["auto", "light", "dark"] as const).map((id) => (
          <option key={id} value={id}>
            {say(`app.${id}`)}
          </option>
        ))}
      </Choice>
      {!keyless && (
        <button type="button" onClick={() => forgetKey()} className="flex min-h-9 w-full items-center gap-2 rounded-md px-2.5 text-left transition-colors hover:bg-hover hover:text-ink">
          <KeyRound size={15} aria-hidden />
          {say("app.forget")}
        </button>
      )}
    </div>
  )
}

function Choice({ label, value, onChange, children }: { label: string; value: string; onChange: (value: string) => void; children: ReactNode }) {
  return (
    <label className="flex min-h-9 items-center justify-between gap-3 rounded-md px-2.5">
      {label}
      <select value={value} onChange={(event) => onChange(event.currentTarget.value)} className="min-h-8 rounded-md bg-transparent text-right text-ink hover:bg-hover [&>option]:bg-overlay">
        {children}
      </select>
    </label>
  )
}
