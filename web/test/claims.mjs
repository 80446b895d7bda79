// The claims of the browser test. Each file holds those about one part of the page, by where they are checked:
//
//	mock        against the mock (web/mock): the server adds nothing to them
//	server      against the built server: turns, what is stored, sign-in, files, a kill
//	both        against each, so that the mock stays like the server
//	serverLast  against the built server after all others, for what takes a minute to end
//	fresh       against a built server that has no model yet
//
// A claim is a sentence and a function of a Visitor and the server under test that throws where the sentence is not true. Claims are
// checked in this order and may use what earlier ones of their file left.
import * as flow from "./flow.mjs"
import * as heavy from "./heavy.mjs"
import * as notify from "./notify.mjs"
import * as sandbox from "./sandbox.mjs"
import * as inquiries from "./inquiries.mjs"
import * as plans from "./plans.mjs"
import * as context from "./context.mjs"
import * as routing from "./routing.mjs"
import * as channels from "./channels.mjs"
import * as cron from "./cron.mjs"
import * as triggers from "./triggers.mjs"
import * as registry from "./registry.mjs"
import * as todos from "./todos.mjs"
import * as actions from "./actions.mjs"
import * as sources from "./sources.mjs"
import * as installed from "./installed.mjs"
import * as shares from "./shares.mjs"
import * as pdf from "./pdf.mjs"
import * as service from "./service.mjs"
import * as panels from "./panels.mjs"
import * as memory from "./memory.mjs"
import * as hooks from "./hooks.mjs"
import * as team from "./team.mjs"
import * as files from "./files.mjs"
import * as people from "./people.mjs"
import * as roles from "./roles.mjs"
import * as keys from "./keys.mjs"
import * as toolservers from "./toolservers.mjs"
import * as connections from "./connections.mjs"
import * as plugins from "./plugins.mjs"
import * as published from "./published.mjs"
import * as inbox from "./inbox.mjs"
import * as dictation from "./dictation.mjs"
import * as preferences from "./preferences.mjs"
import * as titles from "./titles.mjs"
import * as firstrun from "./firstrun.mjs"
import * as settings from "./settings.mjs"
import * as states from "./states.mjs"
import * as models from "./models.mjs"
import * as voice from "./voice.mjs"
import * as tracing from "./tracing.mjs"

/** The names under which a file may export claims. */
export const PLACES = ["mock", "server", "both", "serverLast", "fresh"]

/** The files of claims in the order in which they are checked. */
export const all = { flow, heavy, notify, sandbox, inquiries, plans, context, routing, channels, cron, triggers, registry, todos, actions, sources, installed, shares, pdf, service, panels, memory, hooks, team, files, people, roles, keys, toolservers, connections, plugins, published, inbox, dictation, voice, preferences, titles, firstrun, settings, states, models, tracing }

/** The claims that are checked there, in order: { file, claim, holds }. */
export function claimsAt(...places) {
  return Object.entries(all).flatMap(([file, exported]) =>
    places.flatMap((place) => Object.entries(exported[place] ?? {}).map(([claim, holds]) => ({ file, claim, holds, signsIn: holds === flow.both[claim] }))),
  )
}
