// Package awsload reads what the environment and the shared files say of AWS: region, credentials, authorities. Whoever
// talks to AWS begins with it. Requests for credentials keep to the rule of package bounded, so that no server of them
// can hold a command up, fill its memory, or lead it elsewhere. What it gives may be used by several goroutines.
package awsload
