// Package sftp is files over SSH, by github.com/pkg/sftp, as a store.
//
// It stands under the bandwidth workload. A store may be used by several goroutines at the
// same time, as internal/store says. Each file that is open has an SSH connection of its own,
// as it would have in a program of its own; connections are kept and used again.
//
// # Who it trusts and how it authenticates
//
// Like ssh: the server's key must be in ~/.ssh/known_hosts or /etc/ssh/ssh_known_hosts; an
// unknown key is refused, and the error says what to add. With a password in the URL, that is
// used and nothing else. Without one, the keys of the agent (SSH_AUTH_SOCK), and those of the
// IdentityFile settings in ~/.ssh/config, or else ~/.ssh/id_ed25519, id_ecdsa and id_rsa. Keys
// with a passphrase are for the agent. Of ~/.ssh/config, HostName, Port, User and IdentityFile
// of Host blocks are followed; a host that needs ProxyJump or ProxyCommand is refused.
//
// # When a write returns
//
// When the block has a place among those on their way, each of which the library sends in
// packets, several at a time. Close waits until the server has acknowledged all of them,
// which does not mean that they are on its disk: that is what a hard flush asks for, where the
// server knows fsync@openssh.com. Nothing is retried: a file is lost with its connection.
package sftp
