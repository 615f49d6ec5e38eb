// From a confinement to what is mounted where, and to bubblewrap's words. Pure: the disk is a list of paths.
import * as path from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Either } from "effect"
import * as Bubblewrap from "../../src/sandbox/Bubblewrap.ts"
import type { Confinement } from "../../src/sandbox/Confinement.ts"
import type { Look } from "../../src/sandbox/Look.ts"
import * as Placement from "../../src/sandbox/Placement.ts"
import { settings } from "../../src/sandbox/Runtime.ts"
import * as Toolchains from "../../src/sandbox/Toolchains.ts"

/** Folders end in a slash; `from -> to` is a link; `file = text` a file with a text. */
const disk = (...entries: ReadonlyArray<string>): Look => {
  const links = new Map(
    entries.filter((it) => it.includes(" -> ")).map((it) => [it.split(" -> ")[0], it.split(" -> ")[1]])
  )
  const texts = new Map(
    entries.filter((it) => it.includes(" = ")).map((it) => [it.split(" = ")[0], it.split(" = ")[1]])
  )
  const plain = entries.filter((it) => !it.includes(" -> ")).map((it) => it.split(" = ")[0] ?? it)
  const isFolder = (place: string) => plain.some((it) => it !== place && it.startsWith(`${place}/`))
  const kind: Look["kind"] = (place) =>
    links.has(place) ? "link" : isFolder(place) ? "folder" : plain.includes(place) ? "file" : "missing"
  const real = (place: string): string | undefined => {
    const target = links.get(place)
    if (target !== undefined) return real(path.resolve(path.dirname(place), target))
    return kind(place) === "missing" ? undefined : place
  }
  return {
    kind,
    real,
    target: (place) => links.get(place),
    text: (place) => texts.get(place),
    names: () => []
  }
}

const confinement = (changes: Partial<Confinement> = {}): Confinement => ({
  cwd: "/home/me/p",
  mounts: [{ path: "/home/me/p", access: "write" }],
  masks: [],
  git: "read",
  network: false,
  env: { PATH: "/usr/bin:/bin", HOME: "/home/me" },
  ...changes
})

const placed = (look: Look, changes: Partial<Confinement> = {}): ReadonlyArray<string> =>
  Either.match(Placement.place(look, confinement(changes)), {
    onLeft: (place) => [`refused ${place}`],
    onRight: ({ items, placeholders }) => [
      ...items.map((item) => (item._tag === "Bind" ? `${item.access} ${item.path}` : `hide ${item.kind} ${item.path}`)),
      ...placeholders.map(({ path }) => `stand in for ${path}`)
    ]
  })

describe("the placement of mounts", () => {
  const project = disk("/home/me/p/src/", "/home/me/p/.git/hooks/", "/home/me/p/.git/config")

  it("closes the repository for a command that is not git's", () => {
    assert.deepStrictEqual(placed(project), ["write /home/me/p", "read /home/me/p/.git"])
  })

  it("opens it for git, but for what names programs; what is missing there is stood in for", () => {
    const found = placed(project, { git: "write" })
    assert.includeMembers(
      [...found],
      [
        "write /home/me/p",
        "write /home/me/p/.git",
        "read /home/me/p/.git/hooks",
        "read /home/me/p/.git/config",
        "hide folder /home/me/p/.git/modules",
        "stand in for /home/me/p/.git/commondir",
        "stand in for /home/me/p/.git/info"
      ]
    )
  })

  it("hides what is forbidden, and pins the way to it so that it can't be renamed away", () => {
    const look = disk("/home/me/p/a/b/.ssh/id", "/home/me/p/.git/")
    assert.deepStrictEqual(placed(look, { masks: ["/home/me/p/a/b/.ssh"] }), [
      "write /home/me/p",
      "read /home/me/p/.git",
      "write /home/me/p/a",
      "write /home/me/p/a/b",
      "hide folder /home/me/p/a/b/.ssh"
    ])
  })

  it("refuses a link in place of something protected: a link can be replaced", () => {
    const look = disk("/home/me/p/.git/", "/home/me/p/.ssh -> /elsewhere")
    assert.deepStrictEqual(placed(look, { masks: ["/home/me/p/.ssh"] }), ["refused /home/me/p/.ssh"])
  })

  it("follows a link that can't be changed to what it hides", () => {
    const look = disk("/home/me/p/x", "/data/.ssh/id", "/data/ssh -> .ssh")
    const mounts = [{ path: "/data", access: "read" as const }]
    assert.deepStrictEqual(placed(look, { cwd: "/data", mounts, masks: ["/data/ssh"] }), [
      "read /data",
      "hide folder /data/.ssh"
    ])
  })

  it("doesn't mount what is forbidden itself, and reads on a tie of two mounts", () => {
    const look = disk("/a/x", "/b/x")
    const mounts = [
      { path: "/a", access: "write" as const },
      { path: "/b", access: "write" as const },
      { path: "/b", access: "read" as const }
    ]
    const found = placed(look, { cwd: "/b", mounts, masks: ["/a"] })
    assert.include(found, "read /b")
    assert.notInclude(found.join(), "/a")
  })

  it("writes nothing within a repository's own folder", () => {
    const look = disk("/r/.git/hooks/x")
    assert.deepStrictEqual(placed(look, { cwd: "/r/.git", mounts: [{ path: "/r/.git", access: "write" }] }), [
      "read /r/.git"
    ])
  })
})

describe("bubblewrap's words", () => {
  const look = disk(
    "/home/me/p/.git/",
    "/usr/bin/",
    "/bin -> usr/bin",
    "/lib/x",
    "/run/resolv = x",
    "/etc/resolv.conf -> /run/resolv"
  )
  const args = (changes: Partial<Confinement> = {}, variant: Bubblewrap.Variant = []): string =>
    Either.match(Bubblewrap.words(look, confinement(changes), variant), {
      onLeft: (why) => `refused: ${why}`,
      onRight: ({ args }) => args.join(" ")
    })

  it("give up all capabilities, the terminal, the parent's life, and every name space", () => {
    const words = args({}, Bubblewrap.variants[0])
    for (const word of [
      "--unshare-user --disable-userns",
      "--unshare-pid",
      "--unshare-ipc",
      "--unshare-uts",
      "--unshare-net",
      "--die-with-parent",
      "--new-session",
      "--cap-drop ALL",
      "--clearenv"
    ]) {
      assert.include(words, word)
    }
  })

  it("have the network only where it is on, with what looks up names", () => {
    assert.notInclude(args({ network: true }), "--unshare-net")
    assert.include(args({ network: true }), "--ro-bind /run/resolv /etc/resolv.conf")
    assert.notInclude(args(), "resolv.conf")
  })

  it("link the system's folders as they are linked, and bind those that are real", () => {
    const words = args()
    assert.include(words, "--symlink usr/bin /bin")
    assert.include(words, "--ro-bind /lib /lib")
    assert.notInclude(words, "/lib64")
  })

  it("put an empty home before the session's folders, unless the home is one of them", () => {
    const words = args()
    assert.isBelow(words.indexOf("--tmpfs /home/me "), words.indexOf("--bind /home/me/p /home/me/p"))
    assert.isAbove(words.indexOf("--tmpfs /home/me "), 0)
    const home = args({ cwd: "/home/me", mounts: [{ path: "/home/me", access: "write" }] })
    assert.notInclude(home, "--tmpfs /home/me ")
  })

  it("close a hidden folder only when all within it is mounted", () => {
    const words = Either.getOrThrow(
      Bubblewrap.words(
        disk("/home/me/.config/app/x", "/home/me/.config/token"),
        confinement({
          cwd: "/home/me",
          mounts: [
            { path: "/home/me", access: "write" },
            { path: "/home/me/.config/app", access: "write" }
          ],
          masks: ["/home/me/.config"]
        }),
        []
      )
    ).args.join(" ")
    const order = ["--tmpfs /home/me/.config", "--bind /home/me/.config/app", "--remount-ro /home/me/.config"]
    const at = order.map((word) => words.indexOf(word))
    assert.isTrue(at.every((it) => it > 0))
    assert.deepStrictEqual(
      [...at].sort((a, b) => a - b),
      at
    )
  })

  it("set the environment that was given, and git's own settings over a repository's", () => {
    const words = args({ env: { PATH: "/usr/bin", A: "b c" } })
    assert.include(words, "--setenv A b c")
    assert.include(words, "core.hooksPath")
    assert.include(words, "core.fsmonitor")
    assert.include(words, "GIT_OPTIONAL_LOCKS")
    assert.notInclude(args({ git: "write" }), "GIT_OPTIONAL_LOCKS")
  })

  it("can't confine the whole disk", () => {
    assert.match(args({ cwd: "/", mounts: [{ path: "/", access: "write" }] }), /^refused: The whole file system/)
  })
})

describe("toolchains", () => {
  const found = (look: Look, PATH: string, changes: Partial<Confinement> = {}): ReadonlyArray<string> =>
    Toolchains.mounts(look, confinement({ env: { PATH, HOME: "/home/me" }, ...changes })).map(
      ({ access, path }) => `${access} ${path}`
    )

  it("of PATH are mounted to be read, with what belongs to them", () => {
    const look = disk(
      "/home/me/.nvm/v20/bin/node",
      "/home/me/.nvm/v20/lib/x",
      "/home/me/.cargo/bin/cargo",
      "/home/me/.rustup/toolchains/x"
    )
    assert.deepStrictEqual(found(look, "/home/me/.nvm/v20/bin:/home/me/.cargo/bin:/usr/bin:bin:/home/me/none"), [
      "read /home/me/.nvm/v20/bin",
      "read /home/me/.nvm/v20/lib",
      "read /home/me/.cargo/bin",
      "read /home/me/.rustup/toolchains"
    ])
  })

  it("are never the home, what lies beside keys, or what is forbidden", () => {
    const look = disk(
      "/home/me/bin/x",
      "/home/me/lib/x",
      "/home/me/.local/bin/x",
      "/home/me/.local/share/keyrings/x",
      "/opt/t/bin/x"
    )
    assert.deepStrictEqual(found(look, "/home/me:/home/me/bin:/home/me/.local/bin:/opt/t/bin", { masks: ["/opt/t"] }), [
      "read /home/me/bin",
      "read /home/me/.local/bin"
    ])
  })
})

describe("the settings of sandbox-runtime", () => {
  it("close the home and what is forbidden, open the session's folders, and protect repositories", () => {
    const { filesystem, network } = settings(confinement({ masks: ["/home/me/p/.env", "/home"] }))
    assert.deepStrictEqual(network, { allowedDomains: [], deniedDomains: ["*"], strictAllowlist: true })
    assert.deepStrictEqual(filesystem.denyRead, ["/home/me", "/home/me/p/.env"])
    assert.deepStrictEqual(filesystem.allowRead, ["/home/me/p"])
    assert.deepStrictEqual(filesystem.allowWrite, ["/home/me/p"])
    assert.deepStrictEqual(filesystem.denyWrite, ["/home/me/p/.env", "/home", "/home/me/p/.git"])
  })

  it("write nothing where a command only reads, and let git write all but hooks and configuration", () => {
    const reads = settings(confinement({ mounts: [{ path: "/home/me/p", access: "read" }] })).filesystem
    assert.deepStrictEqual(reads.allowWrite, [])
    const { denyWrite } = settings(confinement({ git: "write" })).filesystem
    assert.include(denyWrite, "/home/me/p/.git/hooks")
    assert.include(denyWrite, "/home/me/p/.git/config")
    assert.notInclude(denyWrite, "/home/me/p/.git")
  })
})
