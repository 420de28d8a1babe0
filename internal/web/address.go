package web

import (
	"context"
	"errors"
	"net"
	"os"
	"strconv"
	"strings"

	"github.com/plimsoll/plimsoll/internal/fault"
	"github.com/plimsoll/plimsoll/internal/setting"
)

// TokenVariable is the environment variable with the token of whoever wants to choose it. A flag would show it to
// everybody on the machine.
const TokenVariable = "PLIMSOLL_UI_TOKEN"

// loopback is the host of an address that names none: nobody elsewhere sees the page unless that was asked for.
const loopback = "127.0.0.1"

// leastToken is how many letters a token has at least that somebody chose. Shorter ones can be guessed.
const leastToken = 16

// CheckAddress reads host:port, :port or a port alone, and says what is wrong with it. flag is for the message.
func CheckAddress(flag, address string) (full string, err error) {
	given := address
	wrong := func(why error) (string, error) {
		return "", fault.New(fault.Usage, "%s %q is not an address: %w", flag, given, why).
			Hint("write a port such as 8080, or host:port; port 0 selects a free one")
	}
	if address != "" && strings.Trim(address, "-0123456789") == "" { // a number, if none of a port
		address = ":" + address
	}
	host, port, err := net.SplitHostPort(address)
	switch {
	case !strings.ContainsAny(address, ":"):
		return wrong(errors.New("it is not a port from 0 to 65535"))
	case err != nil:
		var known *net.AddrError
		if errors.As(err, &known) {
			err = errors.New(known.Err)
		}
		return wrong(err)
	case !isPort(port):
		return wrong(errors.New("its port is not a number from 0 to 65535"))
	case strings.ContainsAny(host, "/?#@ "):
		return wrong(errors.New("its host is not valid"))
	}
	if host == "" {
		host = loopback
	}
	return net.JoinHostPort(host, port), nil
}

func isPort(text string) bool {
	n, err := strconv.ParseUint(text, 10, 16)
	return err == nil && strconv.FormatUint(n, 10) == text
}

// Bind listens at an address as CheckAddress takes it. flag is for the message.
func Bind(ctx context.Context, flag, address string) (net.Listener, error) {
	full, err := CheckAddress(flag, address)
	if err != nil {
		return nil, err
	}
	l, err := new(net.ListenConfig).Listen(ctx, "tcp", full)
	if err != nil {
		return nil, cannot(flag, full, err)
	}
	return l, nil
}

// cannot is the error of an address that cannot be listened on.
func cannot(flag, address string, err error) error {
	var call *os.SyscallError
	if errors.As(err, &call) {
		err = call.Err
	}
	refused := fault.New(fault.Usage, "%s: cannot listen on %s: %w", flag, address, err)
	if _, unknown := errors.AsType[*net.DNSError](err); unknown {
		return refused.Hint("use an address of this machine, or only a port, which means %s", loopback)
	}
	return refused.Hint("choose another port; 0 selects a free one")
}

// checkToken refuses a token that is easily guessed, or that no URL can carry.
func checkToken(token string) error {
	plain := strings.IndexFunc(token, func(r rune) bool {
		letter := r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9'
		return !letter && !strings.ContainsRune("-._~", r)
	}) < 0
	if len(token) < leastToken || !plain {
		return fault.New(fault.Usage, "%s is not a valid token: it needs at least %d letters, digits, or -._~", TokenVariable,
			leastToken).Hint("use a random one, such as the output of 'openssl rand -hex 16', or unset it for a " +
			"generated one")
	}
	return nil
}

// AddressSetting declares where something is served for others to look at.
func AddressSetting(into *string, name, help string) *setting.Setting {
	return setting.Text(into, name, "address", help).Rule(func(flag string) error {
		if *into == "" {
			return nil
		}
		_, err := CheckAddress(flag, *into)
		return err
	})
}
