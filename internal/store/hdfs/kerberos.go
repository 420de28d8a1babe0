package hdfs

import (
	"os"
	"os/user"
	"strings"

	"github.com/jcmturner/gokrb5/v8/client"
	krbconfig "github.com/jcmturner/gokrb5/v8/config"
	"github.com/jcmturner/gokrb5/v8/credentials"

	"github.com/plimsoll/plimsoll/internal/store"
)

// kerberos logs in with the tickets that kinit has left in a file.
func (c *config) kerberos() error {
	if c.options.KerberosServicePrincipleName == "" {
		return store.Fail(store.NoCredentials,
			"hadoop.security.authentication is kerberos, but dfs.namenode.kerberos.principal is not set").
			WithHint("set it to the namenode's principal, such as nn/_HOST@REALM, or pass the cluster's hdfs-site.xml with " +
				"--xmlfile")
	}
	path := os.Getenv("KRB5_CONFIG")
	if path == "" {
		path = "/etc/krb5.conf"
	}
	conf, err := krbconfig.Load(path)
	if err != nil {
		return store.Fail(store.NoCredentials, "cannot read the Kerberos configuration: %w", err).
			WithHint("set KRB5_CONFIG to the realm's krb5.conf")
	}
	cachePath, err := ticketCache()
	if err != nil {
		return err
	}
	cache, err := loadCache(cachePath)
	if err != nil {
		return store.Fail(store.NoCredentials, "cannot read the ticket cache %s: %w", cachePath, err).
			WithHint("run kinit, or pass a delegation token with --tokenfile")
	}
	krb, err := client.NewFromCCache(cache, conf)
	if err != nil {
		return store.Fail(store.NoCredentials, "cannot use the ticket cache %s: %w", cachePath, err).
			WithHint("run kinit again")
	}
	c.options.KerberosClient = krb
	c.options.User = krb.Credentials.UserName()
	return nil
}

// ticketCache is the file with the tickets.
func ticketCache() (string, error) {
	name := os.Getenv("KRB5CCNAME")
	if name == "" {
		u, err := user.Current()
		if err != nil {
			return "", store.Fail(store.NoCredentials, "cannot look up the current user: %w", err).
				WithHint("set KRB5CCNAME")
		}
		return "/tmp/krb5cc_" + u.Uid, nil
	}
	kind, path, ok := strings.Cut(name, ":")
	if !ok {
		return name, nil
	}
	if kind != "FILE" {
		return "", store.Fail(store.Unsupported, "KRB5CCNAME: ticket caches of type %.20q are not supported", kind).
			WithHint("set KRB5CCNAME=FILE:/some/path and run kinit")
	}
	return path, nil
}

// loadCache reads a file with tickets. The library's parser trusts it.
func loadCache(path string) (cache *credentials.CCache, err error) {
	defer func() {
		if recover() != nil {
			err = store.Fail(store.NoCredentials, "not a ticket cache")
		}
	}()
	return credentials.LoadCCache(path)
}
