import { LazyAnswer } from "../answer/LazyAnswer"
import { useSay } from "../lib/language"
import { service } from "../lib/service"
import { Badge } from "../ui/Badge"

/** A conversation that has not begun: what the service is, and questions to begin with. */
export function Welcome({ onAsk }: { onAsk: (text: string) => void }) {
  const say = useSay()
  return (
    <div className="min-h-0 flex-1 overflow-y-auto">
      <div className="mx-auto flex min-h-full w-full max-w-[calc(var(--container-column)+2.5rem)] flex-col justify-center px-5 py-8">
        <Badge large />
        <h1 className="mt-5 text-title font-semibold text-balance break-words">{service.name}</h1>
        {service.description !== "" && <p className="mt-1.5 text-body break-words text-ink-2">{service.description}</p>}
        {service.welcome !== "" && (
          <div className="mt-5">
            <LazyAnswer text={service.welcome} live={false} />
          </div>
        )}
        {service.questions.length > 0 && (
          <ul aria-label={say("feed.questions")} className="mt-7 flex flex-wrap gap-2">
            {service.questions.map((question, n) => (
              <li key={n} className="max-w-full">
                <button type="button" onClick={() => onAsk(question)} className="min-h-10 max-w-full rounded-xl border border-line-strong bg-canvas px-4 py-2 text-left break-words transition-colors hover:border-accent hover:bg-accent-soft">
                  {question}
                </button>
              </li>
            ))}
          </ul>
        )}
      </div>
    </div>
  )
}
