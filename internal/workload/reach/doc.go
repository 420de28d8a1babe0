// Package reach makes connections to a service for the kinds of traffic that speak HTTP first: the settings that say
// how, the way through a proxy or a Unix socket, TLS, and why a connection could not be made, in words for people.
package reach
