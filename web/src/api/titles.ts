// Who names the conversations of a person.
import { api, unwrap } from "./client"
import type { components } from "./schema"

export type TitleChoice = components["schemas"]["TitleChoice"]

export const readTitles = (): Promise<TitleChoice> => unwrap(api.GET("/api/titles"))

export const setTitles = (body: TitleChoice): Promise<TitleChoice> => unwrap(api.PUT("/api/titles", { body }))
