import { useNavigate } from "@tanstack/react-router"
import { lazy, Suspense, useEffect, useState } from "react"

import { useAccount } from "../account/account"
import { createSession } from "../api/calls"
import { useAgentModel } from "../api/queries"
import { useT } from "../i18n"
import { messageId, newSessionKey, randomId } from "../lib/ids"
import { START_DRAFT } from "../outbox/drafts"
import { useShell } from "../ui/shell-context"
import { toast } from "../ui/toasts"
import { AgentChoice } from "./choice/AgentChoice"
import { type Chosen, nothingChosen } from "./choice/choice"
import { Choices } from "./choice/Choices"
import { changeOf } from "./choice/useChoices"
import type { OwnCommand } from "./composer/commands"
import { Composer } from "./composer/Composer"
import { useDraft } from "./composer/useDraft"
import { DropZone } from "./files/DropZone"
import { useUploads } from "./files/useUploads"
import { Header } from "./Header"
import { Suggestions } from "./Suggestions"

const ConnectCard = lazy(() => import("../models/ConnectCard"))

const nothing: string[] = []

/** Where a conversation begins. Its session is made with the first message or file, so that none is made for a look. */
export function StartPage() {
  const t = useT()
  const navigate = useNavigate()
  const { me, outbox } = useAccount()
  const { show } = useShell()
  const [text, write] = useDraft(START_DRAFT)
  useEffect(() => {
    document.title = t("app.name")
  }, [t])
  const [agent, setAgent] = useState<string>()
  const [random] = useState(randomId)
  const key = newSessionKey(random, agent)
  const fallback = useAgentModel(agent)
  const [chosen, setChosen] = useState(nothingChosen)
  const uploads = useUploads(key, START_DRAFT, () => createSession(key))
  const send = (said: string) => {
    outbox.send({ id: messageId(), key, text: said, fresh: true, setup: setupOf(chosen) })
    void navigate({ to: "/c/$key", params: { key } })
  }
  const runCommand = (name: OwnCommand) => {
    if (name === "help") show("help")
    else if (name === "stop") toast(t("composer.nothingRuns"))
  }
  return (
    <main id="main" tabIndex={-1} className="flex h-full min-w-0 flex-1 flex-col outline-none">
      <Header />
      <DropZone onFiles={uploads.addFiles}>
        <div className="flex min-h-0 flex-1 flex-col overflow-y-auto">
          <div className="mx-auto flex w-full max-w-column flex-1 flex-col px-3 pt-[max(1rem,18vh)] pb-6 lg:px-0">
            <h1 className="mb-6 px-1 text-title font-semibold tracking-tight text-balance">{t("welcome.title")}</h1>
            <AgentChoice agent={agent} onChoose={setAgent} />
            <Composer
              text={text}
              onText={write}
              busy={false}
              stopping={false}
              sent={nothing}
              menuBelow
              onSend={send}
              onCommand={runCommand}
              onStop={() => undefined}
              choices={<Choices chosen={chosen} fallback={fallback} onChoose={(change) => setChosen((before) => ({ ...before, ...change }))} />}
              {...uploads}
            />
            <Suggestions onTake={write} />
            {me.demo && (
              <div className="mt-auto pt-10">
                <Suspense>
                  <ConnectCard />
                </Suspense>
              </div>
            )}
          </div>
        </div>
      </DropZone>
    </main>
  )
}

/** What was chosen before the first message; undefined when nothing was. */
function setupOf(chosen: Chosen) {
  const set = Object.entries(chosen).filter(([, value]) => value !== "" && value !== false)
  return set.length === 0 ? undefined : changeOf(Object.fromEntries(set))
}
