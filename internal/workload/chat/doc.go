// Package chat is the workload of the reference's chat: what its messages are, its settings and what its report has
// beside the others'. Its traffic is that of any service that speaks WebSocket.
//
// It stands between the command line and the engine, as each kind of traffic does.
package chat
