package hdfs

import (
	"cmp"
	"context"
	"net"
	"os"
	"os/user"
	"strings"
	"time"

	"github.com/colinmarc/hdfs/v2"
	"github.com/colinmarc/hdfs/v2/hadoopconf"

	"github.com/plimsoll/plimsoll/internal/hadoop"
	"github.com/plimsoll/plimsoll/internal/store"
	"github.com/plimsoll/plimsoll/internal/store/flow"
)

// config is what all sessions of a store are made with.
type config struct {
	cluster
	options        hdfs.ClientOptions
	token          *token        // nil for none
	timeout        time.Duration // of each wait for a server
	connectTimeout time.Duration
	pause          time.Duration // before the first of them
	retries        int           // of a read whose connections were lost
	requests       *store.Requests
	notes          []string
	flow           *flow.Counter
}

// Defaults, as Hadoop has them.
const (
	defaultTimeout        = 60 * time.Second
	defaultConnectTimeout = 20 * time.Second
	defaultRetries        = 3                      // dfs.client.max.block.acquire.failures
	firstPause            = 200 * time.Millisecond // before a file is opened again
	longestPause          = 5 * time.Second
)

// Open opens the HDFS of a URL such as hdfs://namenode:8020/dir. It asks a namenode for its
// defaults, so that a store that was opened is one that can be reached.
//
// Of the settings, it applies fs.defaultFS, dfs.nameservices with the addresses of their
// namenodes, dfs.replication, dfs.blocksize, dfs.client.use.datanode.hostname,
// dfs.client.socket-timeout, ipc.client.connect.timeout, hadoop.security.authentication,
// dfs.namenode.kerberos.principal, dfs.data.transfer.protection and dfs.encrypt.data.transfer,
// and of the environment HADOOP_USER_NAME. A delegation token for this cluster is used before
// everything else.
func Open(ctx context.Context, cfg store.Config) (store.Store, error) {
	c, err := configure(ctx, cfg)
	if err != nil {
		return nil, err
	}
	s := &Store{config: c, block: cfg.Block}
	if err := s.layout(ctx, cfg.Settings); err != nil {
		_ = s.Close()
		return nil, err
	}
	return s, nil
}

func configure(ctx context.Context, cfg store.Config) (*config, error) {
	found, err := locate(cfg.URL, cfg.Settings)
	if err != nil {
		return nil, err
	}
	c := &config{cluster: found, timeout: cfg.Timeout, retries: cfg.Retries, pause: firstPause, requests: cfg.Requests,
		flow: cfg.Flow}
	if c.retries < 0 {
		c.retries = defaultRetries
	}
	if c.timeout <= 0 {
		usual := cmp.Or(cfg.Silence, defaultTimeout)
		if c.timeout, err = duration(cfg.Settings, usual, "dfs.client.socket-timeout"); err != nil {
			return nil, err
		}
	}
	if c.connectTimeout, err = duration(cfg.Settings, defaultConnectTimeout, "ipc.client.connect.timeout"); err != nil {
		return nil, err
	}
	c.options = hdfs.ClientOptionsFromConf(forLibrary(cfg.Settings))
	c.options.Addresses = found.addresses
	if c.options.DataTransferProtection == hdfs.DataTransferProtectionIntegrity {
		// Version 2.4.0 of the library loses bytes of what it reads so, and fails.
		return nil, store.Fail(store.Unsupported,
			"dfs.data.transfer.protection=integrity is not supported").
			WithHint("use authentication, or privacy if the cluster encrypts with AES")
	}
	if c.token, err = c.chooseToken(ctx, cfg.Tokens); err != nil {
		return nil, err
	}
	return c, c.authenticate(cfg.Settings)
}

// duration is a setting in milliseconds; 0 in it means no limit, which is a day here.
func duration(s *hadoop.Settings, otherwise time.Duration, key string) (time.Duration, error) {
	d, ok, err := s.Duration(time.Millisecond, key)
	switch {
	case err != nil:
		return 0, store.Fail(store.Other, "%w", err)
	case !ok:
		return otherwise, nil
	case d <= 0:
		return 24 * time.Hour, nil
	}
	return d, nil
}

// forLibrary are the settings that the library reads itself.
func forLibrary(s *hadoop.Settings) hadoopconf.HadoopConf {
	conf := hadoopconf.HadoopConf{}
	for _, key := range []string{
		"dfs.client.use.datanode.hostname", "hadoop.security.authentication", "dfs.namenode.kerberos.principal",
		"dfs.data.transfer.protection", "dfs.encrypt.data.transfer",
	} {
		if value, ok := s.Lookup(key); ok {
			conf[key] = value
		}
	}
	return conf
}

// authenticate decides who the client is: whom a token stands for, or whom Kerberos knows, or
// whoever it says.
func (c *config) authenticate(s *hadoop.Settings) error {
	how, _ := s.Lookup("hadoop.security.authentication")
	switch how = strings.ToLower(how); {
	case c.token != nil:
		c.options.KerberosClient = nil
		c.options.User = c.token.user
		return nil
	case how == "kerberos":
		return c.kerberos()
	case how != "" && how != "simple":
		return store.Fail(store.Unsupported, "hadoop.security.authentication is %.40q, which is not supported", how).
			WithHint("use simple or kerberos, or pass a delegation token with --tokenfile")
	}
	c.options.User = os.Getenv("HADOOP_USER_NAME")
	if c.options.User == "" {
		u, err := user.Current()
		if err != nil {
			return store.Fail(store.NoCredentials, "cannot look up the current user: %w", err).
				WithHint("set HADOOP_USER_NAME")
		}
		c.options.User = u.Username
	}
	return nil
}

// chooseToken finds the delegation token of this cluster. Its service is the nameservice, or
// the address of the namenode, which Hadoop writes with an IP by default.
func (c *config) chooseToken(ctx context.Context, tokens *hadoop.Tokens) (*token, error) {
	if _, ok := tokens.Find(hadoop.KindHDFS); !ok {
		return nil, nil
	}
	var services []string
	if c.nameservice != "" {
		services = append(services, "ha-hdfs:"+c.nameservice)
	}
	for _, address := range c.addresses {
		services = append(services, address)
		host, port, _ := net.SplitHostPort(address)
		ips, err := net.DefaultResolver.LookupHost(ctx, host)
		if err != nil {
			continue // the connection will say so
		}
		for _, ip := range ips {
			services = append(services, net.JoinHostPort(ip, port))
		}
	}
	found, ok := tokens.Find(hadoop.KindHDFS, services...)
	if !ok {
		c.notes = append(c.notes,
			"The HDFS delegation tokens in the credentials file are for other clusters and were not used.")
		return nil, nil
	}
	owner, err := hadoop.DelegationOwner(found)
	if err != nil {
		return nil, store.Fail(store.NoCredentials, "%w", err).WithHint("get a new delegation token for this cluster")
	}
	if owner.User == "" {
		return nil, store.Fail(store.NoCredentials, "the token %q does not name a user", found.Alias).
			WithHint("get a new delegation token for this cluster")
	}
	c.notes = append(c.notes, "Requests are authenticated with a delegation token of "+owner.User+".")
	return &token{user: owner.User, identifier: found.Identifier, password: found.Password}, nil
}
