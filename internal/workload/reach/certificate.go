package reach

import (
	"crypto/x509"
	"errors"
	"fmt"
	"strings"
	"time"
)

// untrusted words why a server's certificate is not trusted, and says what to do; "" for another error.
func untrusted(err error, asked string) (why, hint string) {
	var unknown x509.UnknownAuthorityError
	var invalid x509.CertificateInvalidError
	var name x509.HostnameError
	const anyway = ", or accept any certificate with --insecure"
	switch {
	case errors.As(err, &name) && name.Certificate != nil:
		return fmt.Sprintf("the server's certificate is for %s, not for %s", namesOf(name.Certificate), asked),
			"use --server-name with a name in the certificate, or accept any certificate with --insecure"
	case errors.As(err, &invalid) && invalid.Reason == x509.Expired:
		const day = time.DateOnly
		return fmt.Sprintf("the server's certificate is valid from %s to %s", invalid.Cert.NotBefore.UTC().Format(day),
				invalid.Cert.NotAfter.UTC().Format(day)),
			"renew it, check the clock of this machine, or accept any certificate with --insecure"
	case errors.As(err, &unknown):
		return "the server's certificate is signed by an authority that this machine does not trust",
			"trust the authority with --ca FILE" + anyway
	case errors.As(err, &invalid):
		return "the server's certificate is invalid: " + plainly(invalid), "accept any certificate with --insecure"
	}
	return "", ""
}

// namesOf are the names of a certificate, as far as they fit into a line.
func namesOf(c *x509.Certificate) string {
	var names []string
	for _, name := range c.DNSNames {
		names = append(names, fmt.Sprintf("%.60q", name))
	}
	for _, ip := range c.IPAddresses {
		names = append(names, ip.String())
	}
	const most = 3
	switch {
	case len(names) == 0:
		return "no host"
	case len(names) > most:
		return strings.Join(names[:most], ", ") + " and others"
	}
	return strings.Join(names, ", ")
}
