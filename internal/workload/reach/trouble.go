package reach

import (
	"cmp"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"slices"
	"strings"
	"syscall"

	"github.com/plimsoll/plimsoll/internal/cause"
	"github.com/plimsoll/plimsoll/internal/engine/op"
)

// ConnectTimeout is the cause of a try to connect that took too long.
const ConnectTimeout = "connect-timeout"

// Trouble is why a connection could not be made or used, in words for people.
type Trouble struct {
	What string // happened, and why
	Hint string // what to do; "" where nothing is known
	Err  error
}

// Error is what happened.
func (t *Trouble) Error() string { return t.What }

// Advice is what happened, and what to do.
func (t *Trouble) Advice() string {
	if t.Hint == "" {
		return t.What
	}
	return t.What + ": " + t.Hint
}

// Unwrap gives the error of the system or of TLS.
func (t *Trouble) Unwrap() error { return t.Err }

// HintOf is what to do about an error; "" where that is not known.
func HintOf(err error) string {
	var t *Trouble
	if errors.As(err, &t) {
		return t.Hint
	}
	return ""
}

// A step of making a connection.
type step interface{ late() string }

type (
	connecting struct{ network, address string }
	later      string
)

const (
	tunneling later = "the proxy did not connect to the service in time"
	securing  later = "the server did not complete the TLS handshake in time"
	starting  later = "the server did not respond in time"
)

func (c connecting) late() string { return fmt.Sprintf("no connection to %s in time", c.address) }
func (l later) late() string      { return string(l) }

// failure names why a step of connecting failed.
func (d *Dialer) failure(ctx context.Context, at step, err error) *op.Failure {
	trouble := func(cause, what, hint string) *op.Failure {
		return &op.Failure{Cause: cause, Err: &Trouble{what, hint, err}}
	}
	var refused *Refused
	switch c, unix := at.(connecting); {
	case errors.As(err, &refused):
		why := trouble("proxy:"+cause.Status(refused.Status), refused.Error(), refused.hint())
		why.Final = true
		return why
	case unix && c.network == "unix":
		if cause, what, hint := socketTrouble(c.address); what != "" {
			return trouble(cause, what, hint)
		}
	}
	if ctx.Err() != nil || cause.Of(err) == cause.Timeout {
		why := trouble(ConnectTimeout, at.late(), "check the address and any firewalls, or raise --timeout")
		why.Timeout = true
		return why
	}
	if at == securing {
		return d.ofTLS(err)
	}
	if at == tunneling {
		what := "invalid response of the proxy to CONNECT: " + plainly(err)
		if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
			what = "the proxy closed the connection without a response to CONNECT"
		}
		return trouble(cmp.Or(cause.Of(err), "connect"), what, "check that --proxy is the address of an HTTP proxy")
	}
	return d.ofNetwork(err)
}

// ofNetwork names why there is no connection.
func (d *Dialer) ofNetwork(err error) *op.Failure {
	found := cmp.Or(cause.Of(err), "connect")
	o := &d.options
	name, port, runs := "the host name", "the port", "server"
	switch {
	case o.Proxy != "":
		name, port, runs = "--proxy", "--proxy", "proxy"
	case o.ConnectTo != "":
		name, port = "--connect-to", "--connect-to"
	case len(o.Resolve) > 0:
		port = "--resolve"
	case o.UnixSocket != "":
		port = "--unix-socket"
	}
	hint := ""
	switch found {
	case cause.Unresolvable:
		hint = "check " + name + " and the DNS settings of this machine"
	case cause.Refused:
		hint = fmt.Sprintf("check %s and that the %s is running", port, runs)
	case cause.Unreachable:
		hint = "check the address, the routes and any firewalls"
	case cause.TooManyFiles:
		hint = "raise the limit of open files (ulimit -n), or lower --clients"
	case cause.AccessDenied:
		hint = "check the firewall of this machine"
		if o.UnixSocket != "" {
			hint = "run as a user with write permission for the socket, or change its permissions"
		}
	case cause.NoLocalPort:
		hint = "use fewer connections, or wait until the system frees ports in TIME_WAIT"
		if o.Source != "" {
			hint = "check that --source-address belongs to this machine and that ports are free"
		}
	case cause.Reset, cause.Ended, cause.CutOff:
		hint = "check the log and the connection limit of the server, or lower --clients"
	}
	return &op.Failure{Cause: found, Err: &Trouble{plainly(err), hint, err}}
}

// ofTLS names why there is no TLS.
func (d *Dialer) ofTLS(err error) *op.Failure {
	why := &op.Failure{Cause: cause.TLS}
	var plain tls.RecordHeaderError
	what, hint := untrusted(err, d.TLS.ServerName)
	switch found := cause.Of(err); {
	case what != "":
		why.Final = true
	case errors.As(err, &plain):
		why.Cause, why.Final = cause.Scheme, true
		what = "the server does not speak TLS at this port"
		hint = "use http:// or ws://, or the port where the server speaks TLS"
	case found == cause.Ended || found == cause.CutOff:
		what = "the server closed the connection during the TLS handshake"
		hint = "check that the server speaks TLS at this port, and check its log"
	case found != "" && found != cause.TLS:
		return d.ofNetwork(err)
	default:
		what, hint = ofAlert(err)
	}
	why.Err = d.uncertified(&Trouble{what, hint, err})
	return why
}

// Failure names why a connection that was just made cannot be used. With TLS 1.3 a server says only then that it
// refuses the client's certificate.
func (d *Dialer) Failure(ctx context.Context, err error) *op.Failure {
	if cause.Of(err) == cause.TLS {
		return d.Refused(err)
	}
	return d.failure(ctx, starting, err)
}

// Refused names why TLS ended a connection that was in use.
func (d *Dialer) Refused(err error) *op.Failure {
	if d.TLS == nil { // something that came looks like an error of TLS
		return &op.Failure{Cause: cause.TLS, Err: err}
	}
	return d.ofTLS(err)
}

// ofCertificates are the alerts of a server that takes no client without a certificate that it trusts.
var ofCertificates = []string{"certificate required", "bad certificate", "unsupported certificate",
	"revoked certificate", "expired certificate", "unknown certificate", "unknown certificate authority", "access denied"}

// uncertified says instead that the server requires a certificate, if it has asked for one and then ended TLS: TLS has
// agreed on everything else by then.
func (d *Dialer) uncertified(t *Trouble) *Trouble {
	_, alert, remote := strings.Cut(t.Err.Error(), alerted)
	found := cause.Of(t.Err)
	ended := remote && (alert == "handshake failure" || slices.Contains(ofCertificates, alert)) ||
		!remote && (found == cause.Ended || found == cause.CutOff)
	if d.asked.Load() && ended {
		t.What = "the server requires a client certificate"
		t.Hint = "add --cert and --key"
	}
	return t
}

// alerted begins what is known of an alert of the server, which has no type of its own.
const alerted = "remote error: tls: "

// noProtocol is the alert of a server that chooses none of the protocols of ALPN.
const noProtocol = "no application protocol"

func choseNone(err error) bool {
	var t *Trouble
	return errors.As(err, &t) && strings.Contains(t.Err.Error(), noProtocol)
}

// ofAlert words an error of the TLS handshake. Most have no type of their own.
func ofAlert(err error) (what, hint string) {
	text := err.Error()
	_, alert, remote := strings.Cut(text, alerted)
	if !remote {
		if strings.Contains(text, "unsupported protocol version") {
			return "the server supports only TLS versions below 1.2", "enable TLS 1.2 or 1.3 on the server"
		}
		return "the TLS handshake failed: " + plainly(err), "check that the server speaks TLS at this port, and check its log"
	}
	what = fmt.Sprintf("the server refused the TLS handshake (alert %q)", alert)
	switch {
	case slices.Contains(ofCertificates, alert):
		return what, "add --cert and --key with a certificate that the server trusts"
	case alert == noProtocol:
		return "the server accepts none of the offered protocols (ALPN)", "use the port where it speaks HTTP"
	case alert == "unrecognized name":
		return what, "use --server-name with a name that the server knows"
	case alert == "protocol version not supported":
		return what, "enable TLS 1.2 or 1.3 on the server"
	}
	return what, "check the server log; it may require a client certificate (--cert and --key), another name " +
		"(--server-name), or obsolete ciphers"
}

// plainly words an error of the network without the names of calls and of libraries.
func plainly(err error) string {
	var dns *net.DNSError
	var call *net.OpError
	var system syscall.Errno
	var path *os.PathError
	switch {
	case errors.As(err, &dns):
		return fmt.Sprintf("cannot look up %q: %s", dns.Name, dns.Err)
	case errors.As(err, &path):
		return fmt.Sprintf("%s: %s", path.Path, path.Err)
	case errors.As(err, &call) && call.Addr != nil && errors.As(err, &system):
		return fmt.Sprintf("%s: %s", call.Addr, system)
	case errors.As(err, &system):
		return system.Error()
	}
	switch {
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return "the server closed the connection"
	case errors.Is(err, net.ErrClosed):
		return "the connection was closed"
	}
	text := err.Error()
	for _, prefix := range []string{"tls: failed to verify certificate: ", "remote error: ", "tls: ", "x509: "} {
		text = strings.ReplaceAll(text, prefix, "")
	}
	return text
}
