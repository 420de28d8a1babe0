// Package auth has what proves to a service who asks, where that is no constant text: the tokens of OAuth 2 (client
// credentials), which are fetched before the load and anew before they expire, beside the clients; and signatures of
// AWS (SigV4), which are made with each request when that is prepared.
//
// Both are used by all clients at the same time. No secret is in their errors.
package auth
