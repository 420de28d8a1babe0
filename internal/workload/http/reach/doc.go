// Package reach is about the way to a service: through a proxy, to addresses that are given instead of looked up, and
// why the certificate at its end does not hold. Connections are made by who uses it.
package reach
