// Programs whose effects can't be undone, leave the machine, or reach beyond the project, and what each does in words.

const effects: ReadonlyArray<readonly [names: string, effect: string]> = [
  ["rm rmdir unlink shred srm del erase rd", "deletes files for good"],
  [
    "mkfs dd wipefs blkdiscard fdisk sfdisk cfdisk gdisk sgdisk parted mkswap format diskpart cipher",
    "overwrites disks or files"
  ],
  ["shutdown reboot halt poweroff init telinit kexec", "stops the machine"],
  ["sudo sudoedit su doas pkexec runuser gksudo runas", "runs commands as another user"],
  ["chown chgrp chmod chattr setfacl setcap icacls cacls takeown attrib", "changes who may use files"],
  [
    "useradd userdel usermod adduser deluser groupadd groupdel groupmod passwd chpasswd visudo vipw net",
    "changes the users of the machine"
  ],
  [
    "mount umount losetup swapon swapoff pivot_root chroot insmod rmmod modprobe",
    "changes what the machine is made of"
  ],
  ["iptables ip6tables nft ufw firewall-cmd netsh", "changes the firewall"],
  ["curl wget nc ncat netcat socat scp sftp ssh ftp tftp telnet rsh rlogin aria2c", "talks to other machines"],
  ["reg wmic sc schtasks bcdedit vssadmin", "changes the settings of the machine"],
  ["powershell pwsh", "runs commands that can't be judged here"],
  ["crontab at batch", "makes commands run later"]
]
const byName = new Map(effects.flatMap(([names, effect]) => names.split(" ").map((name) => [name, effect] as const)))

/** The last part of a path, in small letters, as file systems may not tell them apart. */
export const baseName = (name: string): string =>
  name
    .slice(Math.max(name.lastIndexOf("/"), name.lastIndexOf("\\")) + 1)
    .toLowerCase()
    .replace(/\.(?:exe|com|cmd|bat)$/, "")

/** What a program does that makes it high; undefined for others. */
export const highEffect = (name: string): string | undefined => {
  const base = baseName(name)
  return byName.get(base) ?? (base.startsWith("mkfs.") ? byName.get("mkfs") : undefined)
}

// With blanks taken out: a function that pipes itself into itself.
const forkBomb = /(?<=^|[;&|\n])([^\s(){}|&;]{1,32})\(\)\{\1\|\1&/

/** Wipes, fork bombs and connections of the shell count as high in any place, even within quotes. @see zeroclaw section 8.2 */
export const deadlyText = (line: string): string | undefined => {
  if (/\brm\s+-(?:rf|fr)\s+\//i.test(line)) return "It holds the text of a command that deletes everything (rm -rf /)."
  if (forkBomb.test(line.replace(/\s+/g, ""))) return "It holds the text of a fork bomb."
  if (/\/dev\/(?:tcp|udp)\//.test(line)) return "It talks to other machines (/dev/tcp)."
  return undefined
}
