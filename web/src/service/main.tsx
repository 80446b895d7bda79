import "./service.css"

import { createRoot } from "react-dom/client"

import { refreshList } from "./chat/list"
import { keyOfAddress } from "./lib/key"
import { speakFirst } from "./lib/language"
import { service } from "./lib/service"
import { App } from "./page/App"

keyOfAddress() // first of all: nobody shall see the key in the address
speakFirst()
refreshList()
if (service.name !== "") document.title = service.name
const root = document.getElementById("root")
if (root) createRoot(root).render(<App />)
