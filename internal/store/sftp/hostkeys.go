package sftp

import (
	"crypto/ed25519"
	"errors"
	"net"
	"os"
	"slices"

	"golang.org/x/crypto/ssh"
	"golang.org/x/crypto/ssh/knownhosts"

	"github.com/plimsoll/plimsoll/internal/store"
)

// hostKeys are files of known keys.
type hostKeys struct {
	files []string
	add   string // the one to add to
}

// load reads the files that are there.
func (k hostKeys) load() (ssh.HostKeyCallback, error) {
	var there []string
	for _, f := range k.files {
		if _, err := os.Stat(f); err == nil {
			there = append(there, f)
		}
	}
	check, err := knownhosts.New(there...)
	if err != nil {
		return nil, store.Fail(store.AccessDenied, "cannot read the known host keys: %w", err).
			WithHint("correct the file or remove the line")
	}
	return check, nil
}

// algorithms are those of the keys that are known for an address; nil when none is. A server
// has keys of several kinds, and shows the one that it is asked for.
func (k hostKeys) algorithms(address string, remote net.Addr) ([]string, error) {
	check, err := k.load()
	if err != nil {
		return nil, err
	}
	// No host has this key, so the error lists those that are known.
	nobody, err := ssh.NewPublicKey(ed25519.PublicKey(make([]byte, ed25519.PublicKeySize)))
	if err != nil {
		return nil, err
	}
	var unlike *knownhosts.KeyError
	if !errors.As(check(address, remote, nobody), &unlike) {
		return nil, nil
	}
	var list []string
	for _, want := range unlike.Want {
		names := []string{want.Key.Type()}
		if names[0] == ssh.KeyAlgoRSA {
			names = []string{ssh.KeyAlgoRSASHA512, ssh.KeyAlgoRSASHA256}
		}
		for _, n := range names {
			if !slices.Contains(list, n) {
				list = append(list, n)
			}
		}
	}
	return list, nil
}

// seenKey checks the key of one server and keeps why it was refused.
type seenKey struct {
	keys    hostKeys
	refusal *store.Error
}

func (s *seenKey) check(address string, remote net.Addr, key ssh.PublicKey) error {
	check, err := s.keys.load()
	if err != nil {
		return err
	}
	err = check(address, remote, key)
	if err == nil {
		return nil
	}
	var unlike *knownhosts.KeyError
	var revoked *knownhosts.RevokedError
	print := ssh.FingerprintSHA256(key)
	switch {
	case errors.As(err, &revoked):
		s.refusal = store.Fail("host-key-revoked", "sftp://%s: the server's key %s is revoked in %s",
			address, print, revoked.Revoked.Filename).
			WithHint("do not connect; ask the server's administrator")
	case errors.As(err, &unlike) && len(unlike.Want) > 0:
		s.refusal = store.Fail("host-key-changed", "sftp://%s: the server's key %s differs from the one in %s, line %d",
			address, print, unlike.Want[0].Filename, unlike.Want[0].Line).
			WithHint("someone may be intercepting the connection; if the server has a new key, replace that line")
	default:
		s.refusal = store.Fail("host-key-unknown", "sftp://%s: the server's key %s is unknown", address, print).
			WithHint("if this is the server's key, add this line to %s: %s",
				s.keys.add, knownhosts.Line([]string{address}, key))
	}
	return s.refusal
}
