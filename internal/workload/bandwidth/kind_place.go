package bandwidth

import (
	"cmp"
	"context"
	"errors"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/plimsoll/plimsoll/internal/fault"
	"github.com/plimsoll/plimsoll/internal/hadoop"
	"github.com/plimsoll/plimsoll/internal/redact"
	"github.com/plimsoll/plimsoll/internal/run"
	s3target "github.com/plimsoll/plimsoll/internal/server/s3"
	"github.com/plimsoll/plimsoll/internal/store"
	stores "github.com/plimsoll/plimsoll/internal/store/known"
)

// place is where files are written to and read from.
type place struct {
	store    store.Store
	url      *url.URL // of the first file
	driver   store.Driver
	path     string // of the first file, as the store wants it
	own      bool   // its name was made for this run, so that no other file has it
	below    bool   // the path is that of a directory, what is below which is read
	discards bool   // the embedded target keeps no data
	settings *hadoop.Settings
	tokens   *hadoop.Tokens
}

// openPlace opens the store of a run, whose id names a file that the user has not named.
func openPlace(ctx context.Context, r *oneRun, t *run.Target) (*place, error) {
	c := r.c
	p := &place{settings: &hadoop.Settings{}}
	if err := p.readHadoop(c); err != nil {
		return nil, err
	}
	config := store.Config{
		Block: c.Plan.Block, PartSize: c.Plan.PartSize, ActiveParts: c.Plan.ActiveBlocks,
		Files:    c.Plan.Streams,
		Checksum: c.Plan.Checksum, PayloadSigning: c.Plan.PayloadSigning,
		Endpoint: c.Plan.Endpoint, Region: c.Plan.Region, PathStyle: c.Plan.PathStyle,
		Retries: int(c.Plan.Retries), Timeout: c.Plan.Timeout, Silence: c.Plan.MaxSilence,
		Settings: p.settings, Tokens: p.tokens, Requests: &r.requests, Flow: &r.flow,
	}
	var err error
	if config.TLS, config.Authorities, err = store.Trust(c.Plan.CAFile, c.Plan.Insecure); err != nil {
		return nil, fault.New(fault.Usage, "%w", err).Hint("%s", hintOf(err))
	}
	raw := c.Plan.URL
	if t.Embedded {
		raw = p.embedded(&config, t.URL, c.targetFlags)
	}
	u, err := p.parse(raw, r.id)
	if err != nil {
		return nil, err
	}
	if p.own && c.Plan.Only == OnlyDownload {
		u.Path, u.RawPath = strings.TrimSuffix(u.Path, "plimsoll-"+r.id), ""
		p.below = true
	}
	config.URL = u
	d, ok := stores.Drivers().Find(u.Scheme)
	p.url, p.driver, p.path = u, d, d.PathOf(u)
	if !ok {
		schemes := stores.Drivers().Schemes()
		last := len(schemes) - 1
		meant := ""
		if near := fault.Nearest(u.Scheme, schemes); near != "" {
			meant = "did you mean " + near + ":? "
		}
		return nil, fault.New(fault.Usage, "unknown store %s://", u.Scheme).
			Hint("%suse a URL that starts with %s: or %s:", meant, strings.Join(schemes[:last], ":, "), schemes[last])
	}
	if p.store, err = d.Open(ctx, config); err != nil {
		return nil, p.unopened(err)
	}
	return p, nil
}

// ofEmbedded is the source of the settings that stand for the embedded target's, and that no
// report names.
const ofEmbedded = "the demo server"

// embedded points the configuration to the embedded target and gives the URL of its bucket.
func (p *place) embedded(c *store.Config, address string, flags []string) string {
	c.Endpoint, c.Region, c.PathStyle, c.KeysOf = address, s3target.DefaultRegion, true, ofEmbedded
	p.settings.Set("fs.s3a.access.key", s3target.DefaultAccessKey, ofEmbedded)
	p.settings.Set("fs.s3a.secret.key", s3target.DefaultSecretKey, ofEmbedded)
	bucket := s3target.DefaultBucket
	for _, f := range flags {
		name, value, _ := strings.Cut(strings.TrimLeft(f, "-"), "=")
		switch name {
		case "discard":
			p.discards = value != "false"
		case "access-key":
			p.settings.Set("fs.s3a.access.key", value, ofEmbedded)
		case "secret-key":
			p.settings.Set("fs.s3a.secret.key", value, ofEmbedded)
		case "session-token":
			p.settings.Set("fs.s3a.session.token", value, ofEmbedded)
		case "region":
			c.Region = value
		case "bucket":
			bucket = value
		}
	}
	return "s3://" + bucket + "/"
}

// parse reads the URL of a run, and completes one that names a directory.
func (p *place) parse(raw, id string) (*url.URL, error) {
	raw, err := p.underDefault(raw)
	if err != nil {
		return nil, err
	}
	u, err := stores.Drivers().ParseURL(raw)
	if err != nil {
		return nil, fault.New(fault.Usage, "%q is not a valid file URL: %w", shownURL(raw), err).
			Hint("%s", cmp.Or(hintOf(err), "for example s3://bucket/key, hdfs://host:8020/path or file:/tmp/file"))
	}
	d, _ := stores.Drivers().Find(u.Scheme)
	if u.Opaque != "" { // file:relative/path
		if !d.Local {
			e := fault.New(fault.Usage, "%q is not a valid URL: // is missing after the scheme", redact.URL(raw))
			return nil, e.Hint("write %s", redact.URL(u.Scheme+"://"+u.Opaque))
		}
		if u.Path, err = absolute(u.Opaque); err != nil {
			return nil, err
		}
		u.Opaque = ""
	}
	if !strings.HasPrefix(u.Path, "/") {
		u.Path = "/" + u.Path
	}
	if d.Local {
		if info, err := os.Stat(u.Path); err == nil && info.IsDir() && !strings.HasSuffix(u.Path, "/") {
			u.Path += "/"
		}
	}
	if strings.HasSuffix(u.Path, "/") {
		u.Path += "plimsoll-" + id
		if u.RawPath != "" {
			u.RawPath += "plimsoll-" + id
		}
		p.own = true
	}
	return u, nil
}

// absolute is a path from the root, which still ends with a slash if it is that of a directory.
func absolute(path string) (string, error) {
	if path == "~" || strings.HasPrefix(path, "~/") {
		return "", fault.New(fault.Usage, "file:%s: the shell does not expand ~ here", path).
			Hint("write file:$HOME%s, or file:./%s for a file whose name starts with ~", path[1:], path)
	}
	full, err := filepath.Abs(path)
	if err != nil {
		return "", fault.New(fault.Usage, "file:%s: %w", path, err).Hint("use an absolute path")
	}
	if strings.HasSuffix(path, "/") && !strings.HasSuffix(full, "/") {
		full += "/"
	}
	return full, nil
}

// underDefault completes a path by the setting fs.defaultFS.
func (p *place) underDefault(raw string) (string, error) {
	if regexp.MustCompile(`^[A-Za-z][A-Za-z0-9+.-]*:`).MatchString(raw) {
		return raw, nil
	}
	base, ok := p.settings.Lookup("fs.defaultFS", "fs.default.name")
	if !ok {
		return "", fault.New(fault.Usage, "%q has no scheme", raw).
			Hint("for a local file, write file:%s", raw)
	}
	root, err := url.Parse(base)
	if err != nil || root.Scheme == "" {
		return "", fault.New(fault.Usage, "fs.defaultFS is %q, which is not a URL", redact.URL(base))
	}
	root = &url.URL{Scheme: root.Scheme, User: root.User, Host: root.Host, Path: "/"}
	return root.String() + strings.TrimPrefix(raw, "/"), nil
}

// shown is the URL of a path, for people.
func (p *place) shown(path string) string { return shown(&p.driver, p.url, path) }

// shown is the URL of a path at a store, for people.
func shown(d *store.Driver, u *url.URL, path string) string {
	text := d.Show(u, path)
	if d.Naming == store.Escaped && u.RawQuery != "" {
		const host = "http://host" // what is shown of a query depends on nothing before it
		text += strings.TrimPrefix(redact.URL(host+"?"+u.RawQuery), host)
	}
	return text
}

// shownURL is the URL of a plan, for people.
func shownURL(raw string) string {
	u, err := stores.Drivers().ParseURL(raw)
	if err != nil {
		return redact.URL(raw)
	}
	d, ok := stores.Drivers().Find(u.Scheme)
	if !ok || d.Local || u.Opaque != "" || u.Path == "" {
		return redact.URL(raw)
	}
	return shown(&d, u, d.PathOf(u))
}

// unopened words an error of opening the store. What it lacks then is a name in the URL.
func (p *place) unopened(err error) error {
	if store.CauseOf(err) != store.NoBucket {
		return p.wrong(err)
	}
	return fault.New(fault.Usage, "%s: %w", p.shown(p.path), err).Hint("%s", hintOf(err))
}

// wrong words an error of the store that ends the run before it begins.
func (p *place) wrong(err error) error {
	code := fault.RunFailed
	if slices.Contains([]string{store.TooLarge, store.Unsupported}, store.CauseOf(err)) {
		code = fault.Usage
	}
	var known *fault.Error
	if errors.As(err, &known) {
		return err
	}
	e := fault.New(code, "%s: %w", p.shown(p.path), err)
	if p.namedIn(err) {
		e = fault.New(code, "%w", err)
	}
	if hint := hintOf(err); hint != "" {
		return e.Hint("%s", hint)
	}
	return e
}

// namedIn reports whether an error names the file itself, or begins with its server.
func (p *place) namedIn(err error) bool {
	text, shown := err.Error(), p.shown(p.path)
	first, _, _ := strings.Cut(text, ": ")
	return strings.Contains(text, shown) || p.url.Scheme == "file" && first == p.path ||
		strings.Contains(first, "://") && strings.HasPrefix(shown, first)
}

// hintOf is what a store says to do about an error, or "".
func hintOf(err error) string {
	var known *store.Error
	if errors.As(err, &known) {
		return known.Hint
	}
	return ""
}
