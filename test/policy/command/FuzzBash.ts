// Runs many lines in one bash after another inside a sandbox, and tells which of them started a program that is recorded.
import { execFile } from "node:child_process"
import * as fs from "node:fs"
import * as os from "node:os"
import * as path from "node:path"
import { promisify } from "node:util"
import { lowCommands } from "../../../src/policy/command/LowCommands.ts"
import { specialCommands } from "../../../src/policy/command/SpecialCommands.ts"

const run = promisify(execFile)

/** Programs that leave a record in place of doing anything. */
const recorded =
  "rm touch cp mv ln tee dd mkdir python3 perl sh dash zsh bash node npm make sudo curl wget nc ssh chmod chown truncate install split vi vim ed man less more pager xargs nice timeout nohup setsid stdbuf time gzip zcat bzip2 xz gpg ssh-keygen mount kill".split(
    " "
  )

const driver = `
n=0
while IFS= read -r -d '' line; do
  n=$((n+1))
  LINE=$n /usr/bin/timeout -s KILL 1 /usr/bin/bash --noprofile --norc -c -- "$line" </dev/null >/dev/null 2>&1
done < /fuzz/lines
cd /work && { /usr/bin/find . -path ./.git -prune -o -type f -print0 | /usr/bin/sort -z | /usr/bin/xargs -0 /usr/bin/md5sum; /usr/bin/find . -path ./.git -prune -o -print | /usr/bin/sort; /usr/bin/find /tmp /home -type f; }
`

const prepare = `
cd /work && echo 'x a' > f && echo b > g && mkdir d && echo x > d/f
git init -q . && git add . && git -c user.name=a -c user.email=a@b commit -qm a
`

export interface Ran {
  /** Numbers, from 1, of the lines that started a recorded program. */
  readonly started: ReadonlySet<number>
  /** What the folder held at the end. */
  readonly tree: string
}

export const runLines = async (lines: ReadonlyArray<string>): Promise<Ran> => {
  const folder = await fs.promises.mkdtemp(path.join(os.tmpdir(), "fuzz-"))
  try {
    const at = (name: string) => path.join(folder, name)
    await fs.promises.mkdir(at("stub"))
    await fs.promises.mkdir(at("low"))
    for (const name of recorded) {
      await fs.promises.writeFile(at(`stub/${name}`), '#!/usr/bin/dash\necho "$LINE" >> /fuzz/log\n', { mode: 0o755 })
    }
    for (const name of new Set([...Object.keys(lowCommands), ...Object.keys(specialCommands), "git"])) {
      if (!recorded.includes(name) && fs.existsSync(`/usr/bin/${name}`)) {
        await fs.promises.symlink(`/usr/bin/${name}`, at(`low/${name}`))
      }
    }
    await fs.promises.writeFile(at("log"), "")
    await fs.promises.writeFile(at("lines"), lines.map((line) => `${line}\0`).join(""))
    const { stdout } = await run(
      "bwrap",
      [
        ..."--unshare-all --cap-drop ALL --die-with-parent --new-session --clearenv --ro-bind /usr /usr".split(" "),
        ..."--symlink usr/bin /bin --symlink usr/lib /lib --symlink usr/lib64 /lib64 --proc /proc --dev /dev".split(
          " "
        ),
        ..."--tmpfs /tmp --tmpfs /home --tmpfs /work --setenv HOME /home --setenv GIT_OPTIONAL_LOCKS 0".split(" "),
        ...["--bind", folder, "/fuzz", "--setenv", "PATH", "/usr/bin", "--chdir", "/work"],
        ...["/usr/bin/bash", "--noprofile", "--norc", "-c", `${prepare}\nexport PATH=/fuzz/stub:/fuzz/low\n${driver}`]
      ],
      { maxBuffer: 64 * 1024 * 1024, encoding: "utf8" }
    )
    const log = await fs.promises.readFile(at("log"), "utf8")
    return {
      started: new Set(
        log
          .split("\n")
          .filter((it) => it !== "")
          .map(Number)
      ),
      tree: stdout
    }
  } finally {
    await fs.promises.rm(folder, { recursive: true, force: true })
  }
}
