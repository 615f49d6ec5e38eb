import { defineConfig } from "vitest/config"
import { caseTable } from "./test/support/CaseTable.ts"

export default defineConfig({
  test: {
    include: ["test/**/*.test.ts"],
    testTimeout: 30_000,
    hookTimeout: 60_000,
    reporters: ["default", caseTable]
  }
})
