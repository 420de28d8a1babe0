package hdfs

import (
	"net"
	"net/url"
	"strings"

	"github.com/plimsoll/plimsoll/internal/hadoop"
	"github.com/plimsoll/plimsoll/internal/redact"
	"github.com/plimsoll/plimsoll/internal/store"
)

// defaultPort is that of the namenode's RPC.
const defaultPort = "8020"

// cluster is which namenodes there are.
type cluster struct {
	nameservice string   // "" when the namenode was named itself
	addresses   []string // host:port
}

// locate finds the namenodes of a URL: the host and port in it, those of the nameservice that
// its host is, or of fs.defaultFS when it has no host.
func locate(u *url.URL, s *hadoop.Settings) (cluster, error) {
	host := u.Host
	if host == "" {
		text, ok := s.Lookup("fs.defaultFS")
		if !ok {
			return cluster{}, store.Fail(store.Other, "%s does not name a namenode", redact.URL(u.String())).
				WithHint("write hdfs://NAMENODE:%s%s, or set fs.defaultFS with -D or --xmlfile", defaultPort, u.Path)
		}
		d, err := url.Parse(text)
		if err != nil || d.Scheme != "hdfs" || d.Host == "" {
			return cluster{}, store.Fail(store.Other, "fs.defaultFS is not an hdfs:// URL with a host").
				WithHint("write hdfs://NAMENODE:%s%s", defaultPort, u.Path)
		}
		host = d.Host
	}
	if known, ok, err := nameservice(host, s); ok || err != nil {
		return known, err
	}
	return cluster{addresses: []string{withPort(host)}}, nil
}

// nameservice are the namenodes of a name that the settings explain.
func nameservice(name string, s *hadoop.Settings) (cluster, bool, error) {
	if strings.Contains(name, ":") {
		return cluster{}, false, nil
	}
	listed := false
	for _, n := range s.List("dfs.nameservices") {
		listed = listed || n == name
	}
	ids := s.List("dfs.ha.namenodes." + name)
	if !listed && len(ids) == 0 {
		return cluster{}, false, nil
	}
	keys := []string{"dfs.namenode.rpc-address." + name}
	if len(ids) > 0 {
		keys = keys[:0]
		for _, id := range ids {
			keys = append(keys, "dfs.namenode.rpc-address."+name+"."+id)
		}
	}
	c := cluster{nameservice: name}
	for _, key := range keys {
		address, ok := s.Lookup(key)
		if !ok {
			return cluster{}, false, store.Fail(store.Unresolvable, "the nameservice %q has no %s", name, key).
				WithHint("set it to HOST:PORT of the namenode's RPC service with -D or --xmlfile")
		}
		c.addresses = append(c.addresses, withPort(address))
	}
	return c, true, nil
}

// withPort adds the port that an address does not have.
func withPort(address string) string {
	if _, _, err := net.SplitHostPort(address); err == nil {
		return address
	}
	return net.JoinHostPort(strings.Trim(address, "[]"), defaultPort)
}
