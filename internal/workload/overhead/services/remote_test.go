package services

import (
	"errors"
	"net/http"
	"os"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/config"
	"github.com/aws/aws-sdk-go-v2/service/sts"
	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

// hosts notes where requests go, and sends none.
type hosts struct{ seen []string }

func (h *hosts) Do(req *http.Request) (*http.Response, error) {
	h.seen = append(h.seen, req.URL.Host)
	return nil, errors.New("not sent")
}

// The server that was named is the one that is called, whatever the environment says.
func TestEndpointOverridesEnvironment(t *testing.T) {
	t.Setenv("AWS_ENDPOINT_URL_STS", "http://127.0.0.1:1")
	t.Setenv("AWS_ENDPOINT_URL", "http://127.0.0.1:2")
	t.Setenv("AWS_CONFIG_FILE", "/dev/null")
	t.Setenv("AWS_SHARED_CREDENTIALS_FILE", "/dev/null")
	r, err := Connect(t.Context(), t.Context(), at("http://127.0.0.1:3"))
	if err != nil {
		t.Fatal(err)
	}
	h := &hosts{}
	_, _ = sts.NewFromConfig(r.Config(h, 1)).GetCallerIdentity(t.Context(), &sts.GetCallerIdentityInput{})
	if len(h.seen) != 1 || h.seen[0] != "127.0.0.1:3" {
		t.Errorf("called %q", h.seen)
	}
}

// AWS itself is not called when the environment names another server, nor the other way round.
func TestRealAWSRejectsEndpointOfEnvironment(t *testing.T) {
	t.Setenv("AWS_CONFIG_FILE", "/dev/null")
	t.Setenv("AWS_SHARED_CREDENTIALS_FILE", "/dev/null")
	t.Setenv("AWS_ACCESS_KEY_ID", "a")
	t.Setenv("AWS_SECRET_ACCESS_KEY", "b")
	for _, name := range []string{"AWS_ENDPOINT_URL", "AWS_ENDPOINT_URL_S3"} {
		t.Run(name, func(t *testing.T) {
			t.Setenv(name, "http://127.0.0.1:2")
			_, err := Connect(t.Context(), t.Context(), Access{Real: true, Region: "eu-north-1", Timeout: time.Minute})
			if f, ok := errors.AsType[*Failure](err); !ok || !strings.Contains(f.Hint(), "--endpoint") {
				t.Errorf("%v", err)
			}
		})
	}
}

// The embedded responder is called as a program calls AWS that sets nothing: by the defaults of the SDK,
// whatever its next version has of them.
func TestPlainConfigEqualsSDKDefaults(t *testing.T) {
	for _, variable := range os.Environ() {
		if name, _, _ := strings.Cut(variable, "="); strings.HasPrefix(name, "AWS_") {
			t.Setenv(name, "")
		}
	}
	t.Setenv("AWS_CONFIG_FILE", "/dev/null")
	t.Setenv("AWS_SHARED_CREDENTIALS_FILE", "/dev/null")
	t.Setenv("AWS_REGION", defaultRegion)
	loaded, err := config.LoadDefaultConfig(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	plain := plainConfig()
	want, got := reflect.ValueOf(loaded), reflect.ValueOf(plain)
	for i := range want.NumField() {
		switch name := want.Type().Field(i).Name; name {
		case "Credentials", "HTTPClient", "Logger", "ConfigSources", "RuntimeEnvironment", "RestrictFilePermissions":
			// ours, or of no effect on what is sent
		default:
			if diff := cmp.Diff(want.Field(i).Interface(), got.Field(i).Interface(),
				cmpopts.EquateEmpty()); diff != "" {
				t.Errorf("%s: %s", name, diff)
			}
		}
	}
}

// A server that repeats a request in its message does not make us print the keys.
func TestEchoedSecretsAreRedacted(t *testing.T) {
	said := secretWords.ReplaceAllString("was AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20261122/us-east-1/sts/aws4_request, "+
		"SignedHeaders=host, Signature=5d672d79 X-Amz-Security-Token: "+
		"IQoJb3JpZ2luX2VjEHoaCXVzLWVhc3QtMSJHMEUCIQD AKIAIOSFODNN7EXAMPLE", "…")
	for _, secret := range []string{"AKIDEXAMPLE", "5d672d79", "IQoJb3", "AKIAIOS"} {
		if strings.Contains(said, secret) {
			t.Errorf("%s is in %s", secret, said)
		}
	}
}
