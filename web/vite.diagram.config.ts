import { defineConfig } from "vite"

// The frame that draws diagrams is a build of its own, so that it loads nothing of the page. The policy is that of web/handler.go.
export default defineConfig({
  publicDir: false,
  build: {
    outDir: "node_modules/.diagram", // scripts/finish-dist.mjs puts it beside the page
    emptyOutDir: true,
    target: ["chrome123", "firefox121", "safari17.5"],
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    chunkSizeWarningLimit: 800,
    rolldownOptions: { input: "diagram.html" },
  },
})
