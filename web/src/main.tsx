import "./signin/token" // first: takes the token out of the address before the router reads it
import "./styles/index.css"

import { QueryClientProvider } from "@tanstack/react-query"
import { RouterProvider } from "@tanstack/react-router"
import { StrictMode } from "react"
import { createRoot } from "react-dom/client"

import { queryClient } from "./api/query-client"
import { router } from "./app/router"
import { registerServiceWorker } from "./lib/install"
import { languageReady } from "./i18n"
import { TipLayer } from "./ui/TipLayer"

registerServiceWorker()
const root = document.getElementById("root")
if (!root) throw new Error("index.html has no element with the id root")
await languageReady.catch((error: unknown) => console.error("the page stays English", error))
createRoot(root).render(
  <StrictMode>
    <QueryClientProvider client={queryClient}>
      <RouterProvider router={router} />
      <TipLayer />
    </QueryClientProvider>
  </StrictMode>,
)
