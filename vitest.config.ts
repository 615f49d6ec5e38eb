import { defineConfig } from "vitest/config"
import { caseTable } from "./test/support/CaseTable.ts"

export default defineConfig({
  test: {
    include: ["test/**/*.test.ts"],
    // Files of one worker share its modules: to load them for each takes as long as the tests do.
    isolate: false,
    // Much of a test is waiting for a process.
    maxWorkers: "100%",
    testTimeout: 60_000,
    hookTimeout: 60_000,
    reporters: ["default", caseTable]
  }
})
