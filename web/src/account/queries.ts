import { queryOptions } from "@tanstack/react-query"

import { me } from "../api/calls"
import { applyAppearance } from "./appearance"

export const meQuery = queryOptions({ queryKey: ["me"], queryFn: () => me().then((me) => (applyAppearance(me), me)), staleTime: 5 * 60_000, retry: false })
