import type { ReactNode } from "react"

import { Logo } from "../ui/Logo"

/** The quiet page around sign-in and password. */
export function Frame({ title, children }: { title: string; children: ReactNode }) {
  return (
    <main className="flex h-full flex-col items-center overflow-y-auto px-6 pt-[max(2rem,18vh)] pb-8">
      <div className="w-full max-w-80">
        <Logo size={36} />
        <h1 className="mt-6 text-title font-semibold tracking-tight text-balance">{title}</h1>
        {children}
      </div>
    </main>
  )
}
