package peer

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"net"
	"net/netip"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// Processes are those that have connections.
type Processes struct {
	mu    sync.Mutex
	known map[int]*Process
}

// New makes one that knows of no process yet.
func New() *Processes { return &Processes{known: map[int]*Process{}} }

// Of finds the process at the other end of a connection that was accepted; nil where it is on another
// machine, in another network namespace, or of somebody else. Whoever has it releases it.
//
// Of several processes that share the socket it is one: whose calls they are, the kernel does not say.
func (ps *Processes) Of(conn net.Conn) *Process {
	if _, ok := conn.(*net.TCPConn); !ok {
		return nil
	}
	local, remote := address(conn.LocalAddr()), address(conn.RemoteAddr())
	if !remote.IsValid() || !remote.Addr().IsLoopback() && remote.Addr() != local.Addr() {
		return nil
	}
	inode := socketOf(remote, local)
	if inode == "" {
		return nil
	}
	ps.mu.Lock()
	defer ps.mu.Unlock()
	pid := ps.holderOf("socket:[" + inode + "]")
	if pid == 0 {
		return nil
	}
	p := ps.known[pid]
	if p == nil || p.gone() { // of another process that had the same number
		p = newProcess(pid)
		p.processes = ps
		ps.known[pid] = p
		p.forget = func() {
			if ps.known[pid] == p {
				delete(ps.known, pid)
			}
		}
	}
	p.users++
	return p
}

func address(a net.Addr) netip.AddrPort {
	tcp, ok := a.(*net.TCPAddr)
	if !ok {
		return netip.AddrPort{}
	}
	ap := tcp.AddrPort()
	return netip.AddrPortFrom(ap.Addr().Unmap().WithZone(""), ap.Port())
}

// socketOf is the inode of the socket with these two addresses; "" if this network namespace has none.
// A socket of IPv6 may have an address of IPv4, too.
func socketOf(own, far netip.AddrPort) string {
	if own.Addr().Is4() {
		if inode := listed("/proc/self/net/tcp", written(own), written(far)); inode != "" {
			return inode
		}
	}
	mapped := func(a netip.AddrPort) netip.AddrPort {
		return netip.AddrPortFrom(netip.AddrFrom16(a.Addr().As16()), a.Port())
	}
	return listed("/proc/self/net/tcp6", written(mapped(own)), written(mapped(far)))
}

// written is an address as the kernel's table has it: words in the order of the machine's bytes.
func written(a netip.AddrPort) string {
	var text strings.Builder
	for word := range slices.Chunk(a.Addr().AsSlice(), 4) {
		fmt.Fprintf(&text, "%08X", binary.NativeEndian.Uint32(word))
	}
	fmt.Fprintf(&text, ":%04X", a.Port())
	return text.String()
}

// listed finds the inode of a socket in one of the kernel's tables.
func listed(table, own, far string) string {
	text, err := os.ReadFile(table)
	if err != nil {
		return ""
	}
	_, line, found := bytes.Cut(text, []byte(" "+own+" "+far+" "))
	if !found {
		return ""
	}
	line, _, _ = bytes.Cut(line, []byte("\n"))
	// state, queues, timer, retransmits, uid, timeout, inode
	const place = 6
	if fields := bytes.Fields(line); len(fields) > place && string(fields[place]) != "0" {
		return string(fields[place])
	}
	return ""
}

// holderOf is the process that has a file open, 0 for none that can be seen. Those that have connections
// already, and the youngest, are the likeliest.
func (ps *Processes) holderOf(link string) int {
	for pid := range ps.known {
		if holds(pid, link) {
			return pid
		}
	}
	var pids []int
	for _, name := range namesIn("/proc") {
		if pid, err := strconv.Atoi(name); err == nil && ps.known[pid] == nil {
			pids = append(pids, pid)
		}
	}
	slices.Sort(pids)
	for _, pid := range slices.Backward(pids) {
		if holds(pid, link) {
			return pid
		}
	}
	return 0
}

func holds(pid int, link string) bool {
	files := "/proc/" + strconv.Itoa(pid) + "/fd/"
	for _, name := range namesIn(files) {
		if target, err := os.Readlink(files + name); err == nil && target == link {
			return true
		}
	}
	return false
}

// namesIn are those in a directory, as far as it can be read.
func namesIn(directory string) []string {
	d, err := os.Open(directory)
	if err != nil {
		return nil
	}
	defer d.Close()
	names, _ := d.Readdirnames(-1)
	return names
}
