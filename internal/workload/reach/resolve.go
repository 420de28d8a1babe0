package reach

import (
	"fmt"
	"net"
	"strings"
)

// resolved are the addresses that entries of the form host:port:address[,address…] give for host:port; none where no
// entry is about that. others are the hosts and ports of entries about something else.
func resolved(entries []string, hostPort string) (addresses, others []string, err error) {
	for _, e := range entries {
		of, list, err := split(e)
		if err != nil {
			return nil, nil, err
		}
		if !strings.EqualFold(of, hostPort) {
			others = append(others, of)
			continue
		}
		addresses = append(addresses, list...)
	}
	return addresses, others, nil
}

// split reads an entry.
func split(entry string) (hostPort string, addresses []string, err error) {
	host, rest, found := strings.Cut(entry, ":")
	if strings.HasPrefix(entry, "[") { // a host that is an address
		if host, rest, found = strings.Cut(entry[1:], "]:"); !found {
			return "", nil, fmt.Errorf("%q has no port", entry)
		}
	}
	port, list, both := strings.Cut(rest, ":")
	if !found || !both || host == "" || port == "" || list == "" {
		return "", nil, fmt.Errorf("%q is not HOST:PORT:ADDRESS", entry)
	}
	if err := checkPort(port); err != nil {
		return "", nil, fmt.Errorf("%q: %w", entry, err)
	}
	for _, a := range strings.Split(list, ",") {
		a = strings.TrimSuffix(strings.TrimPrefix(strings.TrimSpace(a), "["), "]")
		if net.ParseIP(a) == nil {
			return "", nil, fmt.Errorf("%q: %q is not an IP address", entry, a)
		}
		addresses = append(addresses, net.JoinHostPort(a, port))
	}
	return net.JoinHostPort(host, port), addresses, nil
}
