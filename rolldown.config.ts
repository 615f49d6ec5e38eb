import { defineConfig } from "rolldown"

// Chunks stay separate: code that a run never needs is never compiled. Native and heavy parts stay outside.
export default defineConfig({
  input: { zeroclaw: "src/bin/zeroclaw.ts", "html-worker": "src/tools/html-worker.mjs" },
  platform: "node",
  external: [/^node:/, "better-sqlite3", "@vscode/ripgrep", "@anthropic-ai/sandbox-runtime"],
  output: {
    dir: "dist",
    format: "esm",
    cleanDir: true,
    sourcemap: true,
    // Half of what would be compiled at start-up are the comments of libraries.
    comments: { legal: true, annotation: false, jsdoc: false },
    banner: (chunk) => (chunk.name === "zeroclaw" ? "#!/usr/bin/env node" : ""),
    entryFileNames: "[name].js",
    chunkFileNames: "chunks/[name]-[hash].js"
  }
})
