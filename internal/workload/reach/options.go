package reach

import (
	"context"
	"fmt"
	"net"
	"os"
	"strconv"
	"strings"
	"syscall"

	"github.com/plimsoll/plimsoll/internal/fault"
	"github.com/plimsoll/plimsoll/internal/plan"
	"github.com/plimsoll/plimsoll/internal/redact"
	"github.com/plimsoll/plimsoll/internal/run"
	"github.com/plimsoll/plimsoll/internal/setting"
)

// Options say how connections to a service are made. Settings declares what each field is.
type Options struct {
	CAFile            string
	Insecure          bool // accept any certificate
	CertFile, KeyFile string
	ServerName        string // of the certificate, and for TLS to ask for
	ConnectTo         string // host:port instead of the URL's
	Resolve           []string
	Proxy             string
	UnixSocket        string // path of a socket to connect to instead
	Source            string // the own address
}

// Settings declares them. secure is the scheme of a URL with TLS.
func (o *Options) Settings(secure string) []*setting.Setting {
	withTLS := "for " + secure + "://: "
	return []*setting.Setting{
		setting.Text(&o.CAFile, "ca", "file", withTLS+"PEM file with trusted certificates (default: the system's)").
			At("dial.ca_file").OmitZero().Ending("pem", "crt", "cer"),
		setting.Switch(&o.Insecure, "insecure", withTLS+"accept any certificate").At("dial.insecure").OmitZero(),
		setting.Text(&o.CertFile, "cert", "file", withTLS+"PEM file with a client certificate").
			At("dial.cert_file").OmitZero().Ending("pem", "crt", "cer"),
		setting.Text(&o.KeyFile, "key", "file", "with --cert: PEM file with its key").
			At("dial.key_file").OmitZero().Ending("pem", "key"),
		setting.Text(&o.ServerName, "server-name", "host",
			withTLS+"expected name in the certificate, also sent as SNI (default: the host of the URL)").
			At("dial.server_name").OmitZero(),
		setting.Text(&o.ConnectTo, "connect-to", "host:port", "connect to this address instead of that of the URL").
			At("dial.connect_to").OmitZero().Rule(o.checkConnectTo),
		setting.List(&o.Resolve, "resolve", "host:port:address", "use this address, or these in turn (a,b), "+
			"instead of a DNS lookup").
			At("dial.resolve").OmitZero(),
		setting.Text(&o.Proxy, "proxy", "url", "HTTP proxy: http://HOST:PORT or "+
			"'http://USER:${env.PASSWORD}@HOST:PORT'").
			At("dial.proxy").WrittenAs(func() any { return redact.URL(o.Proxy) }).OmitZero(),
		setting.Text(&o.UnixSocket, "unix-socket", "path", "connect to this Unix socket; the URL still sets the "+
			"Host header").
			At("dial.unix_socket").OmitZero().Rule(o.checkUnixSocket),
		setting.Text(&o.Source, "source-address", "address", "local address to connect from").
			At("dial.source_address").OmitZero().Rule(o.checkSource),
	}
}

func usage(format string, args ...any) *fault.Error { return fault.New(fault.Usage, format, args...) }

func (o *Options) checkConnectTo(flag string) error {
	if o.ConnectTo == "" {
		return nil
	}
	if err := checkAddress(o.ConnectTo); err != nil {
		return usage("%s %q is not a valid address: %w", flag, o.ConnectTo, err).
			Hint("write HOST:PORT, for example 127.0.0.1:8080")
	}
	return nil
}

// checkAddress says what is wrong with HOST:PORT.
func checkAddress(address string) error {
	host, port, err := net.SplitHostPort(address)
	if err != nil {
		if strings.Count(address, ":") == 0 {
			return fmt.Errorf("no port")
		}
		return fmt.Errorf("not HOST:PORT (write IPv6 addresses in brackets)")
	}
	if host == "" {
		return fmt.Errorf("no host")
	}
	return checkPort(port)
}

func checkPort(port string) error {
	if n, err := strconv.ParseUint(port, 10, 16); err != nil || n == 0 {
		return fmt.Errorf("%q is not a port number from 1 to 65535", port)
	}
	return nil
}

func (o *Options) checkSource(flag string) error {
	if o.Source != "" && net.ParseIP(o.Source) == nil {
		return usage("%s %q is not an IP address", flag, o.Source).
			Hint("use an address of this machine, for example 192.0.2.7")
	}
	return nil
}

// longestSocket is what the system's struct sockaddr_un holds, without the NUL at its end.
const longestSocket = len(syscall.RawSockaddrUnix{}.Path) - 1

func (o *Options) checkUnixSocket(flag string) error {
	if n := len(o.UnixSocket); n > longestSocket {
		return usage("%s %q has %d bytes, but socket paths are limited to %d", flag, o.UnixSocket, n,
			longestSocket).Hint("use a shorter path, for example a symbolic link or a relative path")
	}
	return nil
}

// Check refuses settings that do not go with the URL of a service, and those that make each other pointless. secure is
// the scheme of a URL with TLS.
func (o *Options) Check(url, secure string, load *plan.Load) error {
	if err := o.checkTLS(url, secure, load); err != nil {
		return err
	}
	var ways []string
	for _, way := range []struct {
		flag  string
		given bool
	}{{"--proxy", o.Proxy != ""}, {"--connect-to", o.ConnectTo != ""}, {"--resolve", len(o.Resolve) > 0},
		{"--unix-socket", o.UnixSocket != ""}} {
		if way.given {
			ways = append(ways, way.flag)
		}
	}
	switch {
	case len(ways) > 1:
		return usage("%s cannot be combined", list(ways)).Hint("use one of them")
	case o.UnixSocket != "" && o.Source != "":
		return usage("--unix-socket and --source-address cannot be combined").
			Hint("use one of them")
	case o.UnixSocket != "" && url == "":
		return usage("--unix-socket needs a URL").
			Hint("add the URL whose host and path are sent, for example %s://localhost/PATH", strings.TrimSuffix(secure, "s"))
	}
	return nil
}

func (o *Options) checkTLS(url, secure string, load *plan.Load) error {
	hasTLS := strings.HasPrefix(strings.ToLower(url), secure+"://") || strings.HasPrefix(url, "${env.")
	var pointless []string
	for _, one := range []struct {
		flag  string
		given bool
	}{{"--ca", o.CAFile != ""}, {"--cert", o.CertFile != ""}, {"--server-name", o.ServerName != ""},
		{"--insecure", o.Insecure}} {
		if one.given && !hasTLS {
			pointless = append(pointless, one.flag)
		}
	}
	switch paced := load.Realtime || load.Pacing == plan.Spin || load.Pacing == plan.Sleep; {
	case (o.CertFile == "") != (o.KeyFile == ""):
		return usage("--cert and --key must be used together").Hint("give both or neither")
	case hasTLS && paced:
		return usage("--pacing and --realtime are not supported with TLS").
			Hint("remove them, or use a %s:// URL", strings.TrimSuffix(secure, "s"))
	case hasTLS && o.CAFile != "" && o.Insecure:
		return usage("--ca and --insecure cannot be combined").
			Hint("use one of them")
	case len(pointless) == 1:
		return usage("%s needs TLS", pointless[0]).
			Hint("use a %s:// URL, or remove %s", secure, pointless[0])
	case len(pointless) > 1:
		return usage("%s need TLS", list(pointless)).Hint("use a %s:// URL, or remove them", secure)
	}
	return nil
}

// list joins words as a sentence does.
func list(words []string) string {
	last := len(words) - 1
	return strings.Join(words[:last], ", ") + " and " + words[last]
}

// Target is the target at a URL. Whether it is on this machine follows from where connections go.
func (o *Options) Target(ctx context.Context, url string) *run.Target {
	to := url
	switch scheme, _, _ := strings.Cut(url, "://"); {
	case o.UnixSocket != "":
		to = scheme + "://localhost"
	case o.ConnectTo != "":
		to = scheme + "://" + o.ConnectTo
	}
	t := run.Elsewhere(ctx, to)
	t.URL = url
	return t
}

// socketTrouble says why nothing could be reached at the path of a socket; "" where the path does not say it.
func socketTrouble(path string) (cause, what, hint string) {
	about, err := os.Stat(path)
	switch {
	case strings.HasPrefix(path, "@"): // Linux: a name that is no path
		return "", "", ""
	case os.IsNotExist(err):
		return "no-such-file", fmt.Sprintf("the socket %s does not exist", path), "start the server, or check --unix-socket"
	case os.IsPermission(err):
		return "access-denied", fmt.Sprintf("permission denied for the socket %s", path),
			"run as another user, or change the permissions of its directory"
	case err == nil && about.Mode()&os.ModeSocket == 0:
		return "not-a-socket", fmt.Sprintf("%s is %s, not a Unix socket", path, sort(about.Mode())), "check --unix-socket"
	}
	return "", "", ""
}

// sort says what a file is that is no socket.
func sort(m os.FileMode) string {
	switch {
	case m.IsDir():
		return "a directory"
	case m.IsRegular():
		return "a regular file"
	}
	return "a special file"
}
