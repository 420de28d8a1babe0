// Package wsproto reads what a service speaks over WebSocket from a file of a few lines: how a connection is opened,
// what is sent, and what the messages that come mean.
//
// It stands between a protocol file, or a preset, and the clients of the WebSocket workload. A Protocol does not
// change, and is safe for concurrent use.
package wsproto
