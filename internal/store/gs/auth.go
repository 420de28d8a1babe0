package gs

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"net/http"
	"slices"
	"strings"

	"cloud.google.com/go/auth/credentials"
	"google.golang.org/api/option"
	htransport "google.golang.org/api/transport/http"

	"cloud.google.com/go/storage"

	"github.com/plimsoll/plimsoll/internal/cause"
	"github.com/plimsoll/plimsoll/internal/hadoop"
	"github.com/plimsoll/plimsoll/internal/infile"
	"github.com/plimsoll/plimsoll/internal/store"
)

// isGoogle reports whether credentials may go to this host whatever was set.
func isGoogle(host string) bool {
	return host == "googleapis.com" || strings.HasSuffix(host, ".googleapis.com")
}

// credentials chooses how requests are authenticated: as the settings say, else by Google's
// default chain for Google's own servers, else not at all.
func (s *gs) credentials() (option.ClientOption, error) {
	settings := s.config.Settings
	kind, _ := settings.Lookup("fs.gs.auth.type")
	file, hasFile := settings.Lookup("fs.gs.auth.service.account.json.keyfile",
		"google.cloud.auth.service.account.json.keyfile")
	if kind == "" && hasFile {
		kind = "SERVICE_ACCOUNT_JSON_KEYFILE"
	}
	var chosen option.ClientOption
	var err error
	switch kind {
	case "":
		if !isGoogle(s.endpoint.Hostname()) {
			s.notes = append(s.notes,
				"Requests are not authenticated: the server is not Google's, and no credentials are set.")
			return option.WithoutAuthentication(), nil
		}
		chosen, err = s.found()
	case "APPLICATION_DEFAULT":
		chosen, err = s.found()
	case "UNAUTHENTICATED":
		s.notes = append(s.notes, "Requests are not authenticated (fs.gs.auth.type=UNAUTHENTICATED).")
		return option.WithoutAuthentication(), nil
	case "SERVICE_ACCOUNT_JSON_KEYFILE":
		chosen, err = s.keyFile(option.ServiceAccount, file, "fs.gs.auth.service.account.json.keyfile")
	case "WORKLOAD_IDENTITY_FEDERATION_CREDENTIAL_CONFIG_FILE":
		const key = "fs.gs.auth.workload.identity.federation.credential.config.file"
		file, _ = settings.Lookup(key)
		chosen, err = s.keyFile(option.ExternalAccount, file, key)
	case "USER_CREDENTIALS":
		chosen, err = s.userCredentials(settings)
	default:
		err = store.Fail(store.Unsupported, "fs.gs.auth.type is %q, which is not supported", kind).
			WithHint("use APPLICATION_DEFAULT, SERVICE_ACCOUNT_JSON_KEYFILE, " +
				"WORKLOAD_IDENTITY_FEDERATION_CREDENTIAL_CONFIG_FILE, USER_CREDENTIALS or UNAUTHENTICATED")
	}
	if err == nil && s.inTheClear() {
		return nil, store.Fail(store.NoCredentials, "credentials would be sent to %s unencrypted", s.endpoint).
			WithHint("use an https endpoint, or fs.gs.auth.type=UNAUTHENTICATED")
	}
	return chosen, err
}

// detection says how credentials are had: by requests that are bounded, and trust the user's authorities, too.
func (s *gs) detection() *credentials.DetectOptions {
	return &credentials.DetectOptions{
		Scopes: []string{storage.ScopeFullControl}, Client: store.CredentialsClient(&s.config),
	}
}

// found are the credentials of Google's default chain.
func (s *gs) found() (option.ClientOption, error) {
	had, err := credentials.DetectDefault(s.detection())
	if err != nil {
		return nil, noCredentials(err)
	}
	if len(had.JSON()) == 0 { // no file: they are those of the machine
		had = ofMachine(&s.config)
	}
	return option.WithAuthCredentials(had), nil
}

// given are credentials that the user has named.
func (s *gs) given(kind option.CredentialsType, content []byte) (option.ClientOption, error) {
	had, err := credentials.NewCredentialsFromJSON(credentials.CredType(kind), content, s.detection())
	if err != nil {
		return nil, noCredentials(err)
	}
	return option.WithAuthCredentials(had), nil
}

func noCredentials(err error) error {
	return store.Fail(store.NoCredentials, "no credentials for Google Cloud Storage: %s", cause.Line(err.Error())).
		WithHint(credentialsHint)
}

// keyFile checks that the file can be read, because the library would find that out late.
func (s *gs) keyFile(kind option.CredentialsType, file, setting string) (option.ClientOption, error) {
	if file == "" {
		return nil, store.Fail(store.NoCredentials, "fs.gs.auth.type requires the setting %s", setting).
			WithHint("set it to the path of the credentials file")
	}
	content, err := infile.Read(file, infile.MaxPEM)
	if err != nil {
		return nil, store.Fail(store.NoCredentials, "cannot read the credentials: %w", err).
			WithHint("correct the setting %s", setting)
	}
	var head struct{ Type string }
	if json.Unmarshal(content, &head) != nil || head.Type != string(kind) {
		return nil, store.Fail(store.NoCredentials, "%s does not contain credentials of type %q", file, kind).
			WithHint("correct the setting %s", setting)
	}
	return s.given(kind, content)
}

// userCredentials are those of a person: a client and a token that access tokens are had for.
func (s *gs) userCredentials(settings *hadoop.Settings) (option.ClientOption, error) {
	id, hasID := settings.Lookup("fs.gs.auth.client.id")
	secret, hasSecret := settings.Secret("fs.gs.auth.client.secret")
	token, hasToken := settings.Secret("fs.gs.auth.refresh.token")
	if !hasID || !hasSecret || !hasToken {
		return nil, store.Fail(store.NoCredentials, "fs.gs.auth.type=USER_CREDENTIALS needs more settings").
			WithHint("set fs.gs.auth.client.id, fs.gs.auth.client.secret and fs.gs.auth.refresh.token")
	}
	content, err := json.Marshal(map[string]string{
		"type": string(option.AuthorizedUser), "client_id": id, "client_secret": secret, "refresh_token": token,
	})
	if err != nil {
		return nil, store.Fail(store.NoCredentials, "the credentials are not valid: %w", err)
	}
	return s.given(option.AuthorizedUser, content)
}

// newClient puts credentials on the transport, and labels on top of these.
func (s *gs) newClient(ctx context.Context, credentials option.ClientOption) (*http.Client, error) {
	authorized, err := htransport.NewTransport(ctx, sending{s.base.Transport}, credentials,
		option.WithScopes(storage.ScopeFullControl), option.WithTelemetryDisabled())
	if err != nil {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		return nil, noCredentials(err)
	}
	return &http.Client{Transport: &labels{next: authorized, endpoint: s.endpoint, requests: s.config.Requests}}, nil
}

const credentialsHint = "run 'gcloud auth application-default login', set GOOGLE_APPLICATION_CREDENTIALS, or set " +
	"fs.gs.auth.type=UNAUTHENTICATED for public buckets"

// encryptionKey is the customer's own key, if there is one.
func encryptionKey(settings *hadoop.Settings) ([]byte, error) {
	text, ok := settings.Secret("fs.gs.encryption.key")
	if !ok {
		return nil, nil
	}
	if algorithm, ok := settings.Lookup("fs.gs.encryption.algorithm"); ok && algorithm != "AES256" {
		return nil, store.Fail(store.Unsupported, "fs.gs.encryption.algorithm is %q, which is not supported", algorithm).
			WithHint("use AES256")
	}
	key, err := base64.StdEncoding.DecodeString(text)
	if err != nil || len(key) != 32 {
		return nil, store.Fail(store.Other, "fs.gs.encryption.key is not a valid key").WithHint("use 32 bytes in base64")
	}
	return key, nil
}

// payer is the project that pays for the requests, or "".
func payer(settings *hadoop.Settings, bucket string) (string, error) {
	mode, _ := settings.Lookup("fs.gs.requester.pays.mode")
	switch mode {
	case "", "DISABLED":
		return "", nil
	case "CUSTOM":
		if !slices.Contains(settings.List("fs.gs.requester.pays.buckets"), bucket) {
			return "", nil
		}
	case "ENABLED":
	default:
		return "", store.Fail(store.Unsupported, "fs.gs.requester.pays.mode is %q, which is not supported", mode).
			WithHint("use ENABLED, CUSTOM or DISABLED")
	}
	project, ok := settings.Lookup("fs.gs.requester.pays.project.id", "fs.gs.project.id")
	if !ok {
		return "", store.Fail(store.Other, "fs.gs.requester.pays.mode is %s, but no project is set", mode).
			WithHint("set fs.gs.requester.pays.project.id")
	}
	return project, nil
}
