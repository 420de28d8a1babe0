package topic

import (
	"errors"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// Options are read in the order of their names.
func TestOptionsAreSorted(t *testing.T) {
	var got []string
	set := func(name, value string) error {
		got = append(got, name+"="+value)
		if value == "bad" {
			return errors.New(name)
		}
		return nil
	}
	if err := Options(&url.URL{RawQuery: "tls=1&ca=x&b=1&b=2"}, set); err != nil ||
		strings.Join(got, " ") != "b=2 ca=x tls=1" {
		t.Errorf("%v, %v", got, err)
	}
	if err := Options(&url.URL{RawQuery: "z=bad&m=bad"}, set); err == nil || err.Error() != "m" {
		t.Errorf("the first mistake is %v, want m", err)
	}
	if err := Options(&url.URL{RawQuery: "password=geheim&a=%zz"}, set); err == nil ||
		strings.Contains(err.Error(), "geheim") {
		t.Errorf("of what cannot be read: %v", err)
	}
}

func TestHostPort(t *testing.T) {
	for _, c := range []struct{ host, want string }{{"h", "h:1"}, {"h:2", "h:2"}, {"[::1]", "[::1]:1"},
		{":2", ""}, {"", ""}} {
		got, err := HostPort(&url.URL{Scheme: "rediss", User: url.UserPassword("u", "geheim"), Host: c.host}, "1")
		if got != c.want || (err == nil) != (c.want != "") ||
			err != nil && err.Error() != "the URL has no host: write rediss://HOST:PORT" {
			t.Errorf("%q is %q, %v, want %q", c.host, got, err, c.want)
		}
	}
}

func TestValues(t *testing.T) {
	truth := func(v string) (any, error) { return Truth("o", v) }
	number := func(v string) (any, error) { return Number("o", v, 5) }
	period := func(v string) (any, error) { return Period("o", v, time.Second) }
	for _, c := range []struct {
		read  func(string) (any, error)
		value string
		want  any
		err   string
	}{
		{truth, "true", true, ""}, {truth, "0", false, ""}, {truth, "maybe", false, `o="maybe" is not valid: use true or false`},
		{number, "1", 1, ""}, {number, "5", 5, ""}, {number, "0", 0, `o="0" is not a number between 1 and 5`},
		{number, "6", 0, `o="6" is not a number between 1 and 5`}, {number, "x", 0, `o="x" is not a number between 1 and 5`},
		{period, "1s", time.Second, ""},
		{period, "999ms", time.Duration(0), `o="999ms" is not a duration of at least 1s, such as 30s`},
		{period, "2", time.Duration(0), `o="2" is not a duration of at least 1s, such as 30s`},
	} {
		got, err := c.read(c.value)
		text := ""
		if err != nil {
			text = err.Error()
		}
		if got != c.want || text != c.err {
			t.Errorf("%s: %v, %q, want %v, %q", c.value, got, text, c.want, c.err)
		}
	}
}

func TestCertificates(t *testing.T) {
	empty := filepath.Join(t.TempDir(), "empty.pem")
	if err := os.WriteFile(empty, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		files Certificates
		err   string
	}{
		{Certificates{}, ""},
		{Certificates{CA: empty}, "contains no PEM certificates"},
		{Certificates{CA: empty + ".not"}, "cannot read the CA certificates"},
		{Certificates{Cert: empty, Key: empty}, "the client certificate"},
	} {
		config, err := c.files.Config("h")
		if c.err == "" {
			if err != nil || config.ServerName != "h" || config.RootCAs != nil || config.Certificates != nil {
				t.Errorf("%+v: %v, %v", c.files, config, err)
			}
		} else if err == nil || !strings.Contains(err.Error(), c.err) {
			t.Errorf("%+v: %v, want %s", c.files, err, c.err)
		}
	}
	for files, ok := range map[Certificates]bool{{}: true, {Cert: "c", Key: "k"}: true, {Cert: "c"}: false,
		{Key: "k"}: false} {
		if err := files.Check(); (err == nil) != ok {
			t.Errorf("%+v: %v", files, err)
		}
	}
}
