package reach

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"net"
	"net/url"
	"strings"
	"time"

	"github.com/plimsoll/plimsoll/internal/http1"
)

// Proxy is an HTTP proxy.
type Proxy struct {
	Address string // host:port
	// Authorization is the value of Proxy-Authorization; "" for none.
	Authorization string
}

// errNoProxy is the error of a URL that is none of a proxy. It does not show the URL.
var errNoProxy = errors.New("is not a valid proxy URL")

// parseProxy reads http://[user:password@]host[:port].
func parseProxy(text string) (*Proxy, error) {
	u, err := url.Parse(text)
	if err != nil || u.Scheme != "http" || u.Hostname() == "" || strings.Trim(u.Path, "/") != "" || u.RawQuery != "" {
		return nil, errNoProxy
	}
	p := &Proxy{Address: net.JoinHostPort(u.Hostname(), u.Port())}
	if u.Port() == "" {
		p.Address = net.JoinHostPort(u.Hostname(), "80")
	}
	if u.User != nil {
		password, _ := u.User.Password()
		p.Authorization = "Basic " + base64.StdEncoding.EncodeToString([]byte(u.User.Username()+":"+password))
	}
	return p, nil
}

// Refused is the answer of a proxy that makes no way.
type Refused struct{ Status int }

// Error is one line.
func (r *Refused) Error() string {
	if r.Status == 407 {
		return "the proxy requires authentication (status 407)"
	}
	return fmt.Sprintf("the proxy responded with status %d", r.Status)
}

func (r *Refused) hint() string {
	switch r.Status {
	case 407:
		return "use --proxy 'http://USER:${env.PASSWORD}@HOST:PORT'"
	case 502, 503, 504:
		return "check that the proxy can reach the service, or remove --proxy"
	}
	return "check that the proxy allows CONNECT to the service, or remove --proxy"
}

// Tunnel has the proxy at the other end of a connection make a way to an address (RFC 9110, 9.3.6).
func (p *Proxy) Tunnel(ctx context.Context, c net.Conn, to string) error {
	stop := context.AfterFunc(ctx, func() { _ = c.SetDeadline(time.Unix(1, 0)) })
	defer stop()
	text := "CONNECT " + to + " HTTP/1.1\r\nHost: " + to + "\r\n"
	if p.Authorization != "" {
		text += "Proxy-Authorization: " + p.Authorization + "\r\n"
	}
	if _, err := c.Write([]byte(text + "\r\n")); err != nil {
		return err
	}
	h, err := http1.New(c, http1.DefaultLimits()).ReadHead("CONNECT") // nothing follows before we speak
	switch {
	case err != nil:
		return err
	case h.Status/100 != 2:
		return &Refused{h.Status}
	}
	return ctx.Err()
}
