import tailwind from "@tailwindcss/vite"
import react from "@vitejs/plugin-react"
import { defineConfig } from "vite"

/**
 * What several chunks share and the first load imports is one chunk. What only later parts share, such as dialogs, stays
 * with them.
 */
const shared = /^(?!.*node_modules).*\/src\/|lucide-react/

// The page is served by the Go binary under a strict policy: no inline script, nothing from elsewhere, no data: fonts.
export default defineConfig({
  plugins: [react(), tailwind()],
  worker: { format: "es" }, // it loads grammars one by one
  build: {
    outDir: "node_modules/.page", // scripts/finish-dist.mjs puts the finished page in place
    emptyOutDir: true,
    target: ["chrome123", "firefox121", "safari17.5"], // light-dark() in CSS without a fallback
    assetsInlineLimit: 0,
    manifest: true,
    modulePreload: { polyfill: false },
    chunkSizeWarningLimit: 800, // one grammar of the highlighter, loaded when a block asks for it
    rolldownOptions: {
      output: { codeSplitting: { groups: [{ name: "shared", test: shared, minShareCount: 2, tags: ["$initial"] }] } },
    },
  },
  server: {
    proxy: {
      "/api": { target: process.env.XBOT_DEV_API ?? "http://127.0.0.1:8080" },
      "/files": { target: process.env.XBOT_DEV_API ?? "http://127.0.0.1:8080" },
    },
  },
})
