// Programs whose effects can't be undone, reach beyond the session, or give rights. Pure. @see zeroclaw section 8.2

const groups: ReadonlyArray<readonly [reason: (name: string) => string, names: ReadonlyArray<string>]> = [
  [
    (name) => `${name} deletes or overwrites for good.`,
    ["rm", "rmdir", "dd", "shred", "wipefs", "fdisk", "sfdisk", "parted", "mkswap", "del", "format"]
  ],
  [(name) => `${name} stops or restarts the machine.`, ["shutdown", "reboot", "halt", "poweroff", "init", "telinit"]],
  [
    (name) => `${name} runs with other rights or changes rights.`,
    [
      "sudo",
      "su",
      "doas",
      "pkexec",
      "runuser",
      "run0",
      "chown",
      "chgrp",
      "chmod",
      "setfacl",
      "setcap",
      "runas",
      "icacls",
      "takeown"
    ]
  ],
  [
    (name) => `${name} changes the users of the machine.`,
    ["useradd", "userdel", "usermod", "groupadd", "groupdel", "groupmod", "passwd", "chpasswd", "visudo"]
  ],
  [
    (name) => `${name} changes what the machine is made of.`,
    [
      "mount",
      "umount",
      "swapon",
      "swapoff",
      "chroot",
      "insmod",
      "rmmod",
      "modprobe",
      "sysctl",
      "reg",
      "wmic",
      "sc",
      "netsh",
      "net"
    ]
  ],
  [(name) => `${name} changes the firewall.`, ["iptables", "ip6tables", "nft", "ufw", "firewall-cmd"]],
  [
    (name) => `${name} talks to other computers.`,
    ["curl", "wget", "nc", "ncat", "netcat", "socat", "scp", "sftp", "ssh", "ftp", "tftp", "telnet"]
  ],
  [(name) => `${name} runs whatever it is given.`, ["eval", "powershell", "pwsh", "cmd.exe"]]
]

const reasons = new Map(groups.flatMap(([reason, names]) => names.map((name) => [name, reason(name)] as const)))

/** Why a program is of high risk; undefined for all others. By its last path component, whatever its case. */
export const whyHigh = (name: string): string | undefined => {
  const base = name.slice(name.lastIndexOf("/") + 1).toLowerCase()
  const plain = base.replace(/\.exe$/, "")
  if (/^mkfs(?:\..+)?$/.test(plain)) return `${base} deletes or overwrites for good.`
  return reasons.get(base) ?? reasons.get(plain)
}
