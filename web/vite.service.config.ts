import tailwind from "@tailwindcss/vite"
import react from "@vitejs/plugin-react"
import { defineConfig } from "vite"

// The page of services is a build of its own, so that neither page loads what the other needs. It is written as the page is, and drawn by
// Preact, which is a tenth of React. The policy is that of web/service.go.
export default defineConfig({
  plugins: [react(), tailwind()],
  publicDir: false,
  resolve: {
    alias: [
      { find: /^react\/jsx-runtime$/, replacement: "preact/jsx-runtime" },
      { find: /^react-dom\/client$/, replacement: "preact/compat/client" },
      { find: /^react(-dom)?$/, replacement: "preact/compat" },
    ],
  },
  worker: { format: "es" }, // it loads grammars one by one
  build: {
    outDir: "node_modules/.service", // scripts/finish-dist.mjs puts it beside the page
    emptyOutDir: true,
    target: ["chrome123", "firefox121", "safari17.5"],
    assetsInlineLimit: 0,
    manifest: true,
    modulePreload: { polyfill: false },
    chunkSizeWarningLimit: 800,
    rolldownOptions: { input: "service.html" },
  },
})
