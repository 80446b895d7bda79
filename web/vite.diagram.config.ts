import { defineConfig } from "vite"

// The frame that draws diagrams is a separate build, so that it loads nothing of the page. Its policy is in web/handler.go.
export default defineConfig({
  publicDir: false,
  build: {
    outDir: "node_modules/.diagram", // scripts/finish-dist.mjs copies it into the page
    emptyOutDir: true,
    target: ["chrome123", "firefox121", "safari17.5"],
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    chunkSizeWarningLimit: 800,
    rolldownOptions: { input: "diagram.html" },
  },
})
