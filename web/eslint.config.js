import js from "@eslint/js"
import hooks from "eslint-plugin-react-hooks"
import globals from "globals"
import ts from "typescript-eslint"

export default ts.config(
  { ignores: ["dist/", "artifacts/", "src/api/schema.d.ts"] },
  js.configs.recommended,
  {
    files: ["src/**/*.{ts,tsx}", "*.config.ts"],
    extends: [ts.configs.strictTypeChecked, ts.configs.stylisticTypeChecked, hooks.configs.flat.recommended],
    languageOptions: { parserOptions: { projectService: { allowDefaultProject: ["vitest.config.ts"] } } },
    rules: {
      // Numbers are what most sentences here carry.
      "@typescript-eslint/restrict-template-expressions": ["error", { allowNumber: true }],
      // `void promise` marks a promise whose errors are handled inside it.
      "@typescript-eslint/no-confusing-void-expression": ["error", { ignoreArrowShorthand: true }],
      // The server writes some lists as null; the border must be allowed to ask.
      "@typescript-eslint/no-unnecessary-condition": "off",
      // An empty title is as good as none.
      "@typescript-eslint/prefer-nullish-coalescing": ["error", { ignorePrimitives: { string: true } }],
      "@typescript-eslint/consistent-type-definitions": ["error", "interface"],
    },
  },
  {
    files: ["scripts/**/*.mjs", "mock/**/*.mjs", "test/**/*.mjs", "eslint.config.js"],
    languageOptions: { globals: globals.node },
  },
  // The browser test also has functions that run in the page.
  { files: ["test/**/*.mjs"], languageOptions: { globals: { ...globals.node, ...globals.browser } } },
  { files: ["public/theme.js", "public/embed.js"], languageOptions: { globals: globals.browser, sourceType: "script" } },
  { files: ["public/sw.js"], languageOptions: { globals: globals.serviceworker, sourceType: "script" } },
)
