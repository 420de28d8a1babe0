package az

import (
	"net"
	"net/url"
	"os"
	"strings"

	"github.com/plimsoll/plimsoll/internal/hadoop"
	"github.com/plimsoll/plimsoll/internal/store"
)

const defaultSuffix = "core.windows.net"

// account is where a container is, and what the environment says about who may use it.
type account struct {
	name      string
	suffix    string // of the names in settings: core.windows.net
	container string
	service   *url.URL // of the blobs, without a slash at its end

	key, sas string // of the connection string or the environment; secret
	settings *hadoop.Settings
}

// findAccount takes the account from the URL, the endpoint, the settings and the environment,
// in this order.
func findAccount(c *store.Config) (*account, error) {
	a := &account{suffix: defaultSuffix, container: c.URL.Host, settings: c.Settings}
	host := ""
	if c.URL.User != nil {
		a.container, host = c.URL.User.Username(), c.URL.Host
		if _, ok := c.URL.User.Password(); ok {
			return nil, store.Fail(store.Other, "the URL contains a password").
				WithHint("write it as %s://CONTAINER@ACCOUNT.dfs.%s/FILE", c.URL.Scheme, defaultSuffix)
		}
	}
	if a.container == "" {
		return nil, store.Fail(store.Other, "the URL does not name a container").
			WithHint("write az://CONTAINER/FILE or abfss://CONTAINER@ACCOUNT.dfs.%s/FILE", defaultSuffix)
	}
	if host == "" {
		host, _ = c.Settings.Lookup("fs.azure.abfs.account.name")
	}
	a.ofHost(host)
	if err := a.ofEnvironment(); err != nil {
		return nil, err
	}
	if c.Endpoint != "" {
		if err := a.ofEndpoint(c.Endpoint); err != nil {
			return nil, err
		}
	}
	if a.name == "" && a.service == nil {
		return nil, store.Fail(store.Other, "no storage account given").
			WithHint("write abfss://CONTAINER@ACCOUNT.dfs.%s/FILE, or set AZURE_STORAGE_ACCOUNT or "+
				"AZURE_STORAGE_CONNECTION_STRING", defaultSuffix)
	}
	if a.service == nil {
		a.service = &url.URL{Scheme: "https", Host: a.name + ".blob." + a.suffix}
	}
	return a, nil
}

// ofHost takes name and suffix from such a host as name.dfs.core.windows.net.
func (a *account) ofHost(host string) {
	name, rest, _ := strings.Cut(host, ".")
	if host == "" || net.ParseIP(host) != nil {
		return
	}
	a.name = name
	for _, kind := range []string{"dfs.", "blob."} {
		if suffix, ok := strings.CutPrefix(rest, kind); ok {
			a.suffix = suffix
		}
	}
}

// ofEnvironment reads the variables that Azure's other tools read.
func (a *account) ofEnvironment() error {
	text := os.Getenv("AZURE_STORAGE_CONNECTION_STRING")
	if text == "" {
		named := os.Getenv("AZURE_STORAGE_ACCOUNT")
		if a.name == "" {
			a.name = named
		}
		if a.name == named {
			a.key, a.sas = os.Getenv("AZURE_STORAGE_KEY"), os.Getenv("AZURE_STORAGE_SAS_TOKEN")
		}
		return nil
	}
	fields := map[string]string{}
	for field := range strings.SplitSeq(text, ";") {
		if name, value, ok := strings.Cut(field, "="); ok {
			fields[strings.ToLower(strings.TrimSpace(name))] = value
		}
	}
	if a.name != "" && a.name != fields["accountname"] {
		return nil // it is of another account
	}
	a.name, a.key, a.sas = fields["accountname"], fields["accountkey"], fields["sharedaccesssignature"]
	if suffix := fields["endpointsuffix"]; suffix != "" {
		a.suffix = suffix
	}
	endpoint := fields["blobendpoint"]
	if endpoint == "" && a.name != "" && fields["defaultendpointsprotocol"] == "http" {
		endpoint = "http://" + a.name + ".blob." + a.suffix
	}
	if endpoint == "" && a.name == "" {
		return store.Fail(store.Other, "AZURE_STORAGE_CONNECTION_STRING contains neither an account nor a blob endpoint").
			WithHint("copy it from the account's access keys")
	}
	if endpoint == "" {
		return nil
	}
	return a.ofEndpoint(endpoint)
}

// ofEndpoint takes the service's URL as it was given. An emulator has the account's name in
// the path.
func (a *account) ofEndpoint(endpoint string) error {
	u, err := url.Parse(endpoint)
	if err != nil || u.Host == "" || u.User != nil || u.RawQuery != "" || (u.Scheme != "http" && u.Scheme != "https") {
		return store.Fail(store.Other, "the endpoint is not a valid server URL").
			WithHint("write it as https://HOST, without credentials")
	}
	path := strings.Trim(u.Path, "/")
	host := strings.Replace(u.Host, ".dfs.", ".blob.", 1)
	inHost := strings.Contains(host, ".blob.")
	switch {
	case inHost && a.name == "":
		a.ofHost(u.Hostname())
	case !inHost && path != "" && a.name == "":
		a.name, _, _ = strings.Cut(path, "/")
	case !inHost && path == "" && a.name != "" && (net.ParseIP(u.Hostname()) != nil || u.Hostname() == "localhost"):
		path = a.name
	}
	a.service = &url.URL{Scheme: u.Scheme, Host: host}
	if path != "" {
		a.service.Path = "/" + path
	}
	return nil
}

// keys are the names under which a setting is looked up: for this account, and for all.
func (a *account) keys(setting string) []string {
	var list []string
	if a.name != "" {
		list = []string{
			setting + "." + a.name + ".dfs." + a.suffix,
			setting + "." + a.name + ".blob." + a.suffix,
		}
	}
	return append(list, setting)
}

func (a *account) lookup(setting string) (string, bool) { return a.settings.Lookup(a.keys(setting)...) }
func (a *account) secret(setting string) (string, bool) { return a.settings.Secret(a.keys(setting)...) }
