package awsload_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/plimsoll/plimsoll/internal/awsload"
	"github.com/plimsoll/plimsoll/internal/peertest/hostile"
)

const token = "container-token"

// clean sets an environment that configures nothing for AWS but the address of the credential server.
func clean(t *testing.T, address string) {
	t.Helper()
	for _, name := range []string{"AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN", "AWS_PROFILE",
		"AWS_REGION", "AWS_CA_BUNDLE", "AWS_CONTAINER_CREDENTIALS_RELATIVE_URI"} {
		t.Setenv(name, "")
	}
	t.Setenv("AWS_CONFIG_FILE", t.TempDir()+"/none")
	t.Setenv("AWS_SHARED_CREDENTIALS_FILE", t.TempDir()+"/none")
	t.Setenv("AWS_CONTAINER_CREDENTIALS_FULL_URI", "http://"+address+"/keys")
	t.Setenv("AWS_CONTAINER_AUTHORIZATION_TOKEN", token)
	t.Setenv("AWS_MAX_ATTEMPTS", "1")
}

func TestLoadFetchesContainerCredentials(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") != token {
			t.Errorf("the Authorization header is %q, want %q", r.Header.Get("Authorization"), token)
		}
		_, _ = w.Write([]byte(`{"AccessKeyId":"id","SecretAccessKey":"key","Token":"t"}`))
	}))
	defer server.Close()
	clean(t, server.Listener.Addr().String())
	loaded, err := awsload.Load(t.Context(), awsload.Options{Region: "a-b-1"})
	if err != nil || loaded.Region != "a-b-1" || awsload.CA(&loaded) != nil && awsload.CA(&loaded).RootCAs != nil {
		t.Fatalf("loaded the region %q, error %v", loaded.Region, err)
	}
	if keys, err := loaded.Credentials.Retrieve(t.Context()); err != nil || keys.AccessKeyID != "id" {
		t.Errorf("the access key is %q, error %v; want id", keys.AccessKeyID, err)
	}
}

// A hostile credential server can neither stall nor redirect a command, nor can it make an error show the token.
func TestHostileCredentialServers(t *testing.T) {
	wanted := map[string]bool{"raw-silent": true, "http-reflect": true, "http-redirect-elsewhere-307": true}
	for _, m := range hostile.Modes() {
		if !wanted[m.Name] {
			continue
		}
		delete(wanted, m.Name)
		t.Run(m.Name, func(t *testing.T) {
			s, err := hostile.Listen(m)
			if err != nil {
				t.Fatal(err)
			}
			defer s.Close()
			clean(t, s.Address())
			options := awsload.Options{Region: "a-b-1"}
			if m.Name == "raw-silent" {
				options.Within = 100 * time.Millisecond
			}
			loaded, err := awsload.Load(t.Context(), options.WithoutRetries())
			if err != nil {
				t.Fatal(err)
			}
			keys, err := loaded.Credentials.Retrieve(t.Context())
			if err == nil || keys.HasKeys() || strings.Contains(err.Error(), token) {
				t.Errorf("credentials with the key %q, error %v; want an error without the token", keys.AccessKeyID, err)
			}
			if strings.Contains(s.Heard(), token) {
				t.Error("the token was sent to another server")
			}
		})
	}
	for name := range wanted {
		t.Errorf("package hostile has no mode %s", name)
	}
}
