package az_test

import (
	"fmt"
	"net/url"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/plimsoll/plimsoll/internal/store"
	"github.com/plimsoll/plimsoll/internal/store/az"
)

// secret is what must not be told; it is base64, as keys are.
const secret = "c2VjcmV0"

// clearEnvironment hides what the machine's own environment says.
func clearEnvironment(t *testing.T) {
	t.Helper()
	for _, name := range []string{"CONNECTION_STRING", "ACCOUNT", "KEY", "SAS_TOKEN"} {
		t.Setenv("AZURE_STORAGE_"+name, "")
	}
}

func mustParse(t *testing.T, address string) *url.URL {
	t.Helper()
	u, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	return u
}

// TestAccount finds accounts, endpoints and credentials.
func TestAccount(t *testing.T) {
	const (
		key  = "fs.azure.account.key"
		byK  = "Requests are signed with the account key."
		byS  = "Requests are authenticated with a SAS token."
		none = "Requests are not authenticated: no credentials are set, and those of the machine are sent over https only."
	)
	for _, c := range []struct {
		name, address, endpoint string
		settings, environment   []string
		want, by                string
	}{
		{"abfss", "abfss://box@acc.dfs.core.windows.net/f", "", []string{key + "=" + secret}, nil,
			"https://acc.blob.core.windows.net", byK},
		{"abfs", "abfs://box@acc.dfs.core.windows.net/f", "", []string{key + ".acc.dfs.core.windows.net=" + secret},
			nil, "https://acc.blob.core.windows.net", byK},
		{"another cloud", "abfss://box@acc.dfs.core.chinacloudapi.cn/f", "",
			[]string{key + ".acc.blob.core.chinacloudapi.cn=" + secret}, nil,
			"https://acc.blob.core.chinacloudapi.cn", byK},
		{"setting", "az://box/f", "",
			[]string{"fs.azure.abfs.account.name=acc.dfs.core.windows.net", key + "=" + secret}, nil,
			"https://acc.blob.core.windows.net", byK},
		{"variables", "az://box/f", "", nil, []string{"ACCOUNT=acc", "KEY=" + secret},
			"https://acc.blob.core.windows.net", byK},
		{"SAS variable", "az://box/f", "", nil, []string{"ACCOUNT=acc", "SAS_TOKEN=?sv=1&sig=" + secret},
			"https://acc.blob.core.windows.net", byS},
		{"connection string", "az://box/f", "", nil,
			[]string{"CONNECTION_STRING=DefaultEndpointsProtocol=https;AccountName=acc;AccountKey=" + secret +
				";EndpointSuffix=core.usgovcloudapi.net"},
			"https://acc.blob.core.usgovcloudapi.net", byK},
		{"emulator", "az://box/f", "", nil,
			[]string{"CONNECTION_STRING=AccountName=acc;AccountKey=" + secret +
				";BlobEndpoint=http://127.0.0.1:10000/acc;"},
			"http://127.0.0.1:10000/acc", byK},
		{"SAS in it", "az://box/f", "", nil,
			[]string{"CONNECTION_STRING=BlobEndpoint=https://acc.blob.core.windows.net/;SharedAccessSignature=sv=1&sig=" + secret},
			"https://acc.blob.core.windows.net", byS},
		{"endpoint", "az://box/f", "https://acc.dfs.core.windows.net", []string{key + "=" + secret}, nil,
			"https://acc.blob.core.windows.net", byK},
		{"endpoint without path", "abfs://box@acc.dfs.core.windows.net/f", "http://127.0.0.1:1",
			[]string{key + "=" + secret}, nil, "http://127.0.0.1:1/acc", byK},
		{"endpoint with path", "az://box/f", "http://127.0.0.1:1/acc/", []string{key + "=" + secret}, nil,
			"http://127.0.0.1:1/acc", byK},
		{"public", "az://box/f", "http://127.0.0.1:1/acc", nil, nil, "http://127.0.0.1:1/acc", none},
		{"key of another account", "az://box/f", "http://127.0.0.1:1/acc",
			[]string{key + ".other.dfs.core.windows.net=" + secret}, nil, "http://127.0.0.1:1/acc", none},
		{"variables of another account", "abfs://box@acc/f", "http://127.0.0.1:1/acc", nil,
			[]string{"ACCOUNT=other", "KEY=" + secret}, "http://127.0.0.1:1/acc", none},
		{"default chain", "abfs://box@acc.dfs.core.windows.net/f", "", nil, nil, "https://acc.blob.core.windows.net",
			"Requests are authenticated with a token from Azure's default credential chain."},
		{"client", "abfs://box@acc.dfs.core.windows.net/f", "", []string{
			"fs.azure.account.auth.type=OAuth",
			"fs.azure.account.oauth.provider.type=org.apache.hadoop.fs.azurebfs.oauth2.ClientCredsTokenProvider",
			"fs.azure.account.oauth2.client.id=id",
			"fs.azure.account.oauth2.client.secret.acc.dfs.core.windows.net=" + secret,
			"fs.azure.account.oauth2.client.endpoint=https://login.microsoftonline.com/tenant/oauth2/token",
		}, nil, "https://acc.blob.core.windows.net", "Requests are authenticated with a token from ClientCredsTokenProvider."},
		{"machine", "abfs://box@acc.dfs.core.windows.net/f", "", []string{
			"fs.azure.account.auth.type.acc.dfs.core.windows.net=OAuth",
			"fs.azure.account.oauth.provider.type=MsiTokenProvider",
		}, nil, "https://acc.blob.core.windows.net", "Requests are authenticated with a token from MsiTokenProvider."},
		{"SAS of the container", "abfs://box@acc.dfs.core.windows.net/f", "", []string{
			"fs.azure.account.auth.type=SAS", "fs.azure.sas.fixed.token.box.acc.blob.core.windows.net=sv=1&sig=" +
				secret, "fs.azure.sas.fixed.token=wrong",
		}, nil, "https://acc.blob.core.windows.net", byS},
	} {
		t.Run(c.name, func(t *testing.T) {
			clearEnvironment(t)
			for _, pair := range c.environment {
				name, value, _ := strings.Cut(pair, "=")
				t.Setenv("AZURE_STORAGE_"+name, value)
			}
			conf := config(t, "box", c.settings...)
			conf.URL, conf.Endpoint = mustParse(t, c.address), c.endpoint
			d := open(t, conf).Describe()
			if diff := cmp.Diff([]string{c.want, c.by}, []string{d.Endpoint, d.Notes[0]}); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			if strings.Contains(fmt.Sprint(d), secret) {
				t.Errorf("it tells a secret: %v", d)
			}
		})
	}
}

// TestOpen opens stores with settings that are wrong, and looks for secrets in what they say.
func TestOpen(t *testing.T) {
	const account = "fs.azure.abfs.account.name=acc"
	for _, c := range []struct {
		name     string
		change   func(*store.Config)
		settings []string
		cause    string
	}{
		{"sha256", func(c *store.Config) { c.Checksum = "sha256" }, []string{account}, store.Unsupported},
		{"no account", nil, nil, store.Other},
		{"no container", func(c *store.Config) { c.URL = &url.URL{Scheme: "az", Path: "/f"} }, []string{account},
			store.Other},
		{"password", func(c *store.Config) { c.URL.User = url.UserPassword("box", secret) }, nil, store.Other},
		{"endpoint", func(c *store.Config) { c.Endpoint = "https://user:" + secret + "@host" }, nil, store.Other},
		{"endpoint with a SAS", func(c *store.Config) { c.Endpoint = "https://host?sig=" + secret }, nil, store.Other},
		{"part", func(c *store.Config) { c.PartSize = 4000<<20 + 1 }, []string{account}, store.TooLarge},
		{"part setting", func(c *store.Config) { c.PartSize = 0 },
			[]string{account, "fs.azure.write.request.size=many"}, store.Other},
		{"requests", func(c *store.Config) { c.ActiveParts = 0 },
			[]string{account, "fs.azure.write.max.concurrent.requests=many"}, store.Other},
		{"retries", func(c *store.Config) { c.Retries = -1 }, []string{account, "fs.azure.io.retry.max.retries=many"},
			store.Other},
		{"pause", nil, []string{account, "fs.azure.io.retry.max.backoff.interval=soon"}, store.Other},
		{"type", nil, []string{account, "fs.azure.account.auth.type=Custom"}, store.Unsupported},
		{"no key", nil, []string{account, "fs.azure.account.auth.type=SharedKey"}, store.NoCredentials},
		{"key", nil, []string{account, "fs.azure.account.key=" + secret + "!"}, store.NoCredentials},
		{"no SAS", nil, []string{account, "fs.azure.account.auth.type=SAS"}, store.NoCredentials},
		{"SAS", nil, []string{account, "fs.azure.sas.fixed.token=" + secret}, store.NoCredentials},
		{"no provider", nil, []string{account, "fs.azure.account.auth.type=OAuth"}, store.Unsupported},
		{"no client", nil, []string{account, "fs.azure.account.auth.type=OAuth",
			"fs.azure.account.oauth.provider.type=ClientCredsTokenProvider",
			"fs.azure.account.oauth2.client.secret=" + secret}, store.NoCredentials},
		{"token endpoint", nil, []string{account, "fs.azure.account.auth.type=OAuth",
			"fs.azure.account.oauth2.client.endpoint=http://x/" + secret}, store.Other},
		{"in the clear", func(c *store.Config) { c.Endpoint = "http://192.0.2.1/acc" },
			[]string{"fs.azure.account.auth.type=OAuth", "fs.azure.account.oauth.provider.type=MsiTokenProvider"},
			store.NoCredentials},
	} {
		t.Run(c.name, func(t *testing.T) {
			clearEnvironment(t)
			conf := config(t, "box", c.settings...)
			if c.change != nil {
				c.change(&conf)
			}
			s, err := az.Open(t.Context(), conf)
			if err == nil {
				_ = s.Close()
			}
			check(t, err, c.cause, secret)
		})
	}
	clearEnvironment(t)
	t.Setenv("AZURE_STORAGE_CONNECTION_STRING", "AccountKey="+secret)
	_, err := az.Open(t.Context(), config(t, "box"))
	check(t, err, store.Other, secret)
}

// TestSettings has sizes and numbers taken from settings, if nothing else says them.
func TestSettings(t *testing.T) {
	clearEnvironment(t)
	conf := config(t, "box", "fs.azure.abfs.account.name=acc", "fs.azure.account.key="+secret,
		"fs.azure.write.request.size=16M", "fs.azure.write.max.concurrent.requests=7")
	conf.PartSize, conf.ActiveParts = 0, 0
	if d := open(t, conf).Describe(); d.PartBytes != 16<<20 || d.ActiveParts != 7 ||
		!strings.Contains(d.Integrity, "CRC-64") {
		t.Errorf("%+v", d)
	}
	conf.PartSize, conf.ActiveParts, conf.Checksum = 1<<20, 2, "none"
	if d := open(t, conf).Describe(); d.PartBytes != 1<<20 || d.ActiveParts != 2 || d.Integrity != "none" {
		t.Errorf("%+v", d)
	}
	if ignored := conf.Settings.Ignored(); len(ignored) > 2 {
		t.Errorf("ignored: %q", ignored)
	}
}
