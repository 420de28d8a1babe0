package topic

import (
	"cmp"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"maps"
	"net"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/plimsoll/plimsoll/internal/infile"
)

// Options hands what stands after the '?' of a URL to set, by name, so that what is wrong is
// always the same; of an option that is given more than once the last counts. Neither its error
// nor those of the functions below hold the URL, which may have secrets.
func Options(u *url.URL, set func(name, value string) error) error {
	query, err := url.ParseQuery(u.RawQuery)
	if err != nil {
		return errors.New("the part after '?' is invalid: write NAME=VALUE&NAME=VALUE")
	}
	for _, name := range slices.Sorted(maps.Keys(query)) {
		values := query[name]
		if err := set(name, values[len(values)-1]); err != nil {
			return err
		}
	}
	return nil
}

// HostPort is where the broker of a URL is.
func HostPort(u *url.URL, port string) (string, error) {
	if u.Hostname() == "" {
		return "", fmt.Errorf("the URL has no host: write %s://HOST:PORT", u.Scheme)
	}
	return net.JoinHostPort(u.Hostname(), cmp.Or(u.Port(), port)), nil
}

// Truth reads an option that is true or false.
func Truth(name, value string) (bool, error) {
	b, err := strconv.ParseBool(value)
	if err != nil {
		return false, fmt.Errorf("%s=%q is not valid: use true or false", name, value)
	}
	return b, nil
}

// Number reads an option from 1 on.
func Number(name, value string, most int) (int, error) {
	n, err := strconv.Atoi(value)
	if err != nil || n < 1 || n > most {
		return 0, fmt.Errorf("%s=%q is not a number between 1 and %d", name, value, most)
	}
	return n, nil
}

// Period reads an option that is a duration.
func Period(name, value string, least time.Duration) (time.Duration, error) {
	d, err := time.ParseDuration(value)
	if err != nil || d < least {
		return 0, fmt.Errorf("%s=%q is not a duration of at least %s, such as 30s", name, value, least)
	}
	return d, nil
}

// maxLinger is more than anybody waits for company.
const maxLinger = 10 * time.Second

// Linger reads for how long a message may wait for others that are sent with it. It must leave time for the request.
func Linger(name, value string) (time.Duration, error) {
	d, err := time.ParseDuration(value)
	if err != nil || d < 0 || d > maxLinger {
		return 0, fmt.Errorf("%s=%q is not a duration between 0s and %s, such as 5ms", name, value, maxLinger)
	}
	return d, nil
}

// OneOf reads an option that is one of some words.
func OneOf(name, value string, words ...string) (string, error) {
	if !slices.Contains(words, value) {
		last := len(words) - 1
		return "", fmt.Errorf("%s=%q is not %s or %s", name, value, strings.Join(words[:last], ", "), words[last])
	}
	return value, nil
}

// Certificates are the files of TLS, each "" when not given.
type Certificates struct {
	CA        string // those to trust instead of the system's
	Cert, Key string // the client's own
}

// Set takes the option of this name: ca, cert or key.
func (c *Certificates) Set(name, value string) {
	switch name {
	case "ca":
		c.CA = value
	case "cert":
		c.Cert = value
	case "key":
		c.Key = value
	}
}

// Check refuses half a pair.
func (c Certificates) Check() error {
	if (c.Cert == "") != (c.Key == "") {
		return errors.New("cert= and key= must be set together")
	}
	return nil
}

// Config reads the files. host is whose certificate is expected; "" leaves that to the client.
func (c Certificates) Config(host string) (*tls.Config, error) {
	config := &tls.Config{MinVersion: tls.VersionTLS12, ServerName: host}
	if c.CA != "" {
		pem, err := infile.Read(c.CA, infile.MaxPEM)
		if err != nil {
			return nil, fmt.Errorf("cannot read the CA certificates: %w", err)
		}
		config.RootCAs = x509.NewCertPool()
		if !config.RootCAs.AppendCertsFromPEM(pem) {
			return nil, fmt.Errorf("%s contains no PEM certificates", c.CA)
		}
	}
	if c.Cert != "" {
		pair, err := infile.KeyPair(c.Cert, c.Key)
		if err != nil {
			return nil, fmt.Errorf("cannot read the client certificate: %w", err)
		}
		config.Certificates = []tls.Certificate{pair}
	}
	return config, nil
}
