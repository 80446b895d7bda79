import "./service.css"

import { createRoot } from "react-dom/client"

import { refreshList } from "./chat/list"
import { keyOfAddress } from "./key"
import { speakFirst } from "./language"
import { service } from "./service"
import { App } from "./ui/App"

keyOfAddress() // first of all: nobody shall see the key in the address
speakFirst()
refreshList()
if (service.name !== "") document.title = service.name
const root = document.getElementById("root")
if (root) createRoot(root).render(<App />)
