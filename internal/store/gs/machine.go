package gs

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"strings"
	"time"

	"cloud.google.com/go/auth"
	"cloud.google.com/go/storage"

	"github.com/plimsoll/plimsoll/internal/store"
)

// machine has tokens of the account of this machine, which the server of its metadata gives. The library has the same,
// by a client of its own that waits as long as the server likes, and reads as much as it sends.
type machine struct{ client *http.Client }

// metadataServer is where every machine of Google's finds it.
const metadataServer = "169.254.169.254"

// ofMachine are credentials by such tokens.
func ofMachine(c *store.Config) *auth.Credentials {
	return auth.NewCredentials(&auth.CredentialsOptions{
		TokenProvider: auth.NewCachedTokenProvider(machine{store.CredentialsClient(c)}, nil),
		UniverseDomainProvider: auth.CredentialsPropertyFunc(func(context.Context) (string, error) {
			return os.Getenv("GOOGLE_CLOUD_UNIVERSE_DOMAIN"), nil
		}),
	})
}

// Token asks for one.
func (m machine) Token(ctx context.Context) (*auth.Token, error) {
	host := os.Getenv("GCE_METADATA_HOST")
	if host == "" {
		host = metadataServer
	}
	scope := url.Values{"scopes": {storage.ScopeFullControl}}
	req, err := http.NewRequestWithContext(ctx, http.MethodGet,
		"http://"+host+"/computeMetadata/v1/instance/service-accounts/default/token?"+scope.Encode(), nil)
	if err != nil {
		return nil, errors.New("GCE_METADATA_HOST is not a valid host")
	}
	req.Header.Set("Metadata-Flavor", "Google")
	resp, err := m.client.Do(req)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("the metadata server responded with status %d", resp.StatusCode)
	}
	var told struct {
		Token   string `json:"access_token"`
		Type    string `json:"token_type"`
		Expires int    `json:"expires_in"` // seconds
	}
	if err := json.NewDecoder(resp.Body).Decode(&told); err != nil {
		return nil, fmt.Errorf("cannot parse the metadata server's response: %w", err)
	}
	if told.Token == "" || told.Expires <= 0 ||
		strings.ContainsFunc(told.Token, func(c rune) bool { return c <= ' ' || c >= 0x7f }) {
		return nil, errors.New("the metadata server's response contains no token")
	}
	ends := time.Now().Add(time.Duration(told.Expires) * time.Second)
	return &auth.Token{Value: told.Token, Type: told.Type, Expiry: ends}, nil
}
