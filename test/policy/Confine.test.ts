// A session's folders and rules to what its commands may see.
import { assert, describe, it } from "@effect/vitest"
import { confinement } from "../../src/policy/Confine.ts"
import type { Assessment } from "../../src/policy/command/Assessment.ts"

const low: Assessment = {
  risk: "low",
  reason: "It only reads.",
  names: ["ls"],
  highNames: [],
  unknownNames: false,
  git: false
}
const medium: Assessment = { ...low, risk: "medium" }
const rules = {
  readOnly: ["/skills"],
  allow: ["/home/me", "/agent", "/home/me/.config/app"],
  forbid: ["/home", "/etc", "/home/me/.ssh"],
  own: ["/home/me/.zeroclaw/config.toml"]
}
const spec = { rules, cwd: "/home/me", agentWorkspace: "/agent", network: true, env: { PATH: "/bin" } }

describe("Confine", () => {
  it("mounts the session's folders, and masks what is forbidden", () => {
    assert.deepStrictEqual(confinement({ ...spec, assessment: medium }), {
      cwd: "/home/me",
      mounts: [
        { path: "/home/me", access: "write" },
        { path: "/agent", access: "read" },
        { path: "/home/me/.config/app", access: "write" },
        { path: "/skills", access: "read" }
      ],
      masks: ["/home", "/etc", "/home/me/.ssh", "/home/me/.zeroclaw/config.toml"],
      git: "read",
      network: true,
      env: { PATH: "/bin" }
    })
  })

  it("a line that only reads can't write, whatever it is, and has no network", () => {
    const { git, mounts, network } = confinement({ ...spec, assessment: { ...low, git: true } })
    assert.isTrue(mounts.every(({ access }) => access === "read"))
    assert.strictEqual(git, "read")
    assert.isFalse(network)
  })

  it("repositories may change only for a line that names git", () => {
    assert.strictEqual(confinement({ ...spec, assessment: { ...medium, git: true } }).git, "write")
    assert.strictEqual(confinement({ ...spec, assessment: medium }).git, "read")
  })

  it("the agent's own folder is changed only where it is what is worked in", () => {
    const inside = confinement({ ...spec, cwd: "/agent", assessment: medium })
    assert.deepInclude(inside.mounts, { path: "/agent", access: "write" })
    assert.deepInclude(inside.mounts, { path: "/home/me", access: "write" })
  })

  it("a folder that is itself forbidden is not mounted", () => {
    const tied = { ...rules, allow: ["/work", "/etc"] }
    const { mounts } = confinement({ ...spec, rules: tied, cwd: "/work", assessment: medium })
    assert.deepStrictEqual(
      mounts.map(({ path }) => path),
      ["/work", "/skills"]
    )
  })
})
