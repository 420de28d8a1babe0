package az

import (
	"context"
	"fmt"
	"net/url"
	"strings"
	"time"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore"
	"github.com/Azure/azure-sdk-for-go/sdk/azcore/cloud"
	"github.com/Azure/azure-sdk-for-go/sdk/azcore/policy"
	"github.com/Azure/azure-sdk-for-go/sdk/azidentity"
	"github.com/Azure/azure-sdk-for-go/sdk/storage/azblob/container"

	"github.com/plimsoll/plimsoll/internal/cause"
	"github.com/plimsoll/plimsoll/internal/store"
)

const credentialsHint = "set fs.azure.account.key, AZURE_STORAGE_KEY or " +
	"AZURE_STORAGE_CONNECTION_STRING, or run 'az login'"

// newContainer makes the SDK's client, with the credentials that the settings name or that are
// found. The note says which those are.
func (a *account) newContainer(options *container.ClientOptions, asking azcore.ClientOptions) (
	client *container.Client, note string, err error) {
	address := a.service.JoinPath(a.container).String()
	kind, _ := a.lookup("fs.azure.account.auth.type")
	key, hasKey := a.secret("fs.azure.account.key")
	sas, hasSAS := a.fixedToken()
	switch {
	case kind == "SharedKey", kind == "" && hasKey:
		if !hasKey {
			key = a.key
		}
		return a.sharedKey(address, key, options)
	case kind == "SAS", kind == "" && hasSAS:
		if !hasSAS {
			sas = a.sas
		}
		return signed(address, sas, options)
	case kind == "OAuth":
		return a.oauth(address, options, asking)
	case kind != "":
		return nil, "", store.Fail(store.Unsupported, "fs.azure.account.auth.type is %q, which is not supported",
			kind).
			WithHint("use SharedKey, OAuth or SAS")
	case a.key != "":
		return a.sharedKey(address, a.key, options)
	case a.sas != "":
		return signed(address, a.sas, options)
	case a.service.Scheme != "https":
		client, err = container.NewClientWithNoCredential(address, options)
		return client, "Requests are not authenticated: no credentials are set, and those of the machine are sent over " +
			"https only.", refused(err)
	}
	identity, err := azidentity.NewDefaultAzureCredential(
		&azidentity.DefaultAzureCredentialOptions{ClientOptions: asking})
	return token(address, identity, err, "Azure's default credential chain", options)
}

// refused is an error of the SDK about what it was made with. It says no secrets, but its
// text is not relied on for that.
func refused(err error) error {
	if err == nil {
		return nil
	}
	return store.Fail(store.NoCredentials, "the credentials are not valid").WithHint(credentialsHint)
}

func (a *account) sharedKey(address, key string, options *container.ClientOptions) (*container.Client, string, error) {
	if key == "" || a.name == "" {
		return nil, "", store.Fail(store.NoCredentials, "no key for the account %q", a.name).
			WithHint(credentialsHint)
	}
	credential, err := container.NewSharedKeyCredential(a.name, key)
	if err != nil {
		return nil, "", store.Fail(store.NoCredentials, "the key of the account %s is not base64", a.name).
			WithHint("copy it from the account's access keys")
	}
	client, err := container.NewClientWithSharedKeyCredential(address, credential, options)
	return client, "Requests are signed with the account key.", refused(err)
}

// fixedToken is a SAS of the settings, the most particular first.
func (a *account) fixedToken() (string, bool) {
	const setting = "fs.azure.sas.fixed.token"
	keys := a.keys(setting + "." + a.container)
	return a.settings.Secret(append(keys[:len(keys)-1], a.keys(setting)...)...)
}

// signed uses a shared access signature, which is a part of every URL.
func signed(address, sas string, options *container.ClientOptions) (*container.Client, string, error) {
	sas = strings.TrimPrefix(strings.TrimSpace(sas), "?")
	values, err := url.ParseQuery(sas)
	if err != nil || values.Get("sig") == "" {
		return nil, "", store.Fail(store.NoCredentials, "the SAS token has no signature").
			WithHint("copy the whole token")
	}
	client, err := container.NewClientWithNoCredential(address+"?"+sas, options)
	return client, "Requests are authenticated with a SAS token.", refused(err)
}

// oauth is a credential of the kind that a class of Hadoop stands for.
func (a *account) oauth(address string, options *container.ClientOptions, asking azcore.ClientOptions) (
	*container.Client, string, error) {
	class, _ := a.lookup("fs.azure.account.oauth.provider.type")
	id, _ := a.lookup("fs.azure.account.oauth2.client.id")
	tenant, err := a.authority(&asking)
	if err != nil {
		return nil, "", err
	}
	var credential azcore.TokenCredential
	name := class[strings.LastIndex(class, ".")+1:]
	switch name {
	case "ClientCredsTokenProvider":
		secret, _ := a.secret("fs.azure.account.oauth2.client.secret")
		if id == "" || secret == "" || tenant == "" {
			return nil, "", store.Fail(store.NoCredentials, "%s needs more settings", name).
				WithHint("set fs.azure.account.oauth2.client.id, .client.secret and .client.endpoint")
		}
		credential, err = azidentity.NewClientSecretCredential(tenant, id, secret,
			&azidentity.ClientSecretCredentialOptions{ClientOptions: asking})
	case "MsiTokenProvider":
		msi := &azidentity.ManagedIdentityCredentialOptions{ClientOptions: asking}
		if id != "" {
			msi.ID = azidentity.ClientID(id)
		}
		credential, err = azidentity.NewManagedIdentityCredential(msi)
	case "WorkloadIdentityTokenProvider":
		file, _ := a.lookup("fs.azure.account.oauth2.token.file")
		if named, ok := a.lookup("fs.azure.account.oauth2.msi.tenant"); ok {
			tenant = named
		}
		credential, err = azidentity.NewWorkloadIdentityCredential(&azidentity.WorkloadIdentityCredentialOptions{
			ClientOptions: asking, ClientID: id, TenantID: tenant, TokenFilePath: file,
		})
	default:
		return nil, "", store.Fail(store.Unsupported,
			"fs.azure.account.oauth.provider.type is %q, which is not supported", class).
			WithHint("use ClientCredsTokenProvider, MsiTokenProvider or WorkloadIdentityTokenProvider")
	}
	return token(address, credential, err, name, options)
}

// credentialsOptions are those of the requests by which tokens are had.
func credentialsOptions(c *store.Config) azcore.ClientOptions {
	return azcore.ClientOptions{
		Transport: store.CredentialsClient(c),
		Retry:     policy.RetryOptions{MaxRetries: 2, MaxRetryDelay: 2 * time.Second}, // the SDK's own go on for a minute
	}
}

// authority splits https://login.microsoftonline.com/TENANT/oauth2/token, and has tokens asked for there.
func (a *account) authority(asking *azcore.ClientOptions) (tenant string, err error) {
	const setting = "fs.azure.account.oauth2.client.endpoint"
	text, ok := a.lookup(setting)
	if !ok {
		return "", nil
	}
	u, parse := url.Parse(text)
	if parse != nil || u.Scheme != "https" || u.Host == "" || u.User != nil {
		return "", store.Fail(store.Other, "%s is not the URL of a token endpoint", setting).
			WithHint("write it as https://login.microsoftonline.com/TENANT/oauth2/token")
	}
	tenant, _, _ = strings.Cut(strings.TrimPrefix(u.Path, "/"), "/")
	asking.Cloud = cloud.Configuration{ActiveDirectoryAuthorityHost: "https://" + u.Host + "/"}
	return tenant, nil
}

func token(address string, credential azcore.TokenCredential, err error, from string,
	options *container.ClientOptions) (*container.Client, string, error) {
	if err != nil {
		return nil, "", store.Fail(store.NoCredentials, "no credentials from %s: %s", from, cause.Line(err.Error())).
			WithHint(credentialsHint)
	}
	if !strings.HasPrefix(address, "https:") {
		return nil, "", store.Fail(store.NoCredentials, "credentials from %s would be sent unencrypted", from).
			WithHint("use an https endpoint")
	}
	client, err := container.NewClient(address, source{credential}, options)
	return client, fmt.Sprintf("Requests are authenticated with a token from %s.", from), refused(err)
}

// source is where tokens come from. It says when they do not.
type source struct{ azcore.TokenCredential }

// GetToken gets one.
func (s source) GetToken(ctx context.Context, options policy.TokenRequestOptions) (azcore.AccessToken, error) {
	t, err := s.TokenCredential.GetToken(ctx, options)
	if err != nil && ctx.Err() == nil {
		err = final{store.Fail(store.NoCredentials, "cannot get an access token: %s", cause.Line(err.Error())).
			WithHint(credentialsHint)}
	}
	return t, err
}

// final is an error that the SDK does not try again after.
type final struct{ error }

// NonRetriable marks it.
func (final) NonRetriable() {}

// Unwrap gives the error.
func (f final) Unwrap() error { return f.error }
