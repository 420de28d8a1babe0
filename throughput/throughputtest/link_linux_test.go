package throughputtest

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"
	"unsafe"
)

// A link joins two network namespaces, so that real sockets meet on a path of known rate and
// delay. It needs root and iproute2.
type link struct {
	near, far string // names of namespaces
	address   string // of the far end
}

// linkKind says what the path is made of.
type linkKind struct {
	Name string
	Rate float64       // bits per second
	RTT  time.Duration // 0: a veth pair and the kernel's tbf; else two TUN devices and a queue of ours
}

func newLink(t *testing.T) *link {
	t.Helper()
	if runtime.GOARCH != "amd64" {
		t.Skip("the number of setns is known for amd64 alone")
	}
	if os.Geteuid() != 0 {
		t.Skip("network namespaces need root")
	}
	if _, err := exec.LookPath("ip"); err != nil {
		t.Skip("there is no ip (iproute2): ", err)
	}
	id := fmt.Sprintf("plt%d", os.Getpid()%100000)
	l := &link{near: id + "a", far: id + "b", address: "10.213.7.2"}
	for _, ns := range []string{l.near, l.far} {
		if text, err := exec.Command("ip", "netns", "add", ns).CombinedOutput(); err != nil {
			t.Skipf("no network namespaces here: %s", text)
		}
		t.Cleanup(func() { _ = exec.Command("ip", "netns", "del", ns).Run() })
	}
	return l
}

// connect makes what joins the two namespaces. It is there as long as the process is.
func (l *link) connect(k linkKind) error {
	var commands []string
	if k.RTT == 0 {
		commands = append(commands, "ip link add near0 netns "+l.near+" type veth peer name far0 netns "+l.far)
	} else if err := l.tun(k); err != nil {
		return err
	}
	commands = append(commands,
		"ip -n "+l.near+" addr add 10.213.7.1/24 dev near0",
		"ip -n "+l.far+" addr add "+l.address+"/24 dev far0",
		"ip -n "+l.near+" link set near0 up",
		"ip -n "+l.far+" link set far0 up")
	if k.RTT == 0 {
		commands = append(commands, fmt.Sprintf(
			"ip netns exec %s tc qdisc add dev near0 root tbf rate %.0fbit burst 16k limit 4m", l.near, k.Rate))
	}
	for _, c := range commands {
		args := strings.Fields(c)
		if text, err := exec.Command(args[0], args[1:]...).CombinedOutput(); err != nil {
			return fmt.Errorf("%s: %s", c, text)
		}
	}
	return nil
}

// inside runs f on a thread of the namespace: what it opens stays there.
func inside(ns string, f func() error) error {
	done := make(chan error)
	go func() {
		runtime.LockOSThread() // and never unlock: the thread ends with the goroutine
		file, err := os.Open("/var/run/netns/" + ns)
		if err == nil {
			_, _, errno := syscall.RawSyscall(sysSetns, file.Fd(), syscall.CLONE_NEWNET, 0)
			_ = file.Close()
			if errno != 0 {
				err = errno
			}
		}
		if err == nil {
			err = f()
		}
		done <- err
	}()
	return <-done
}

func (l *link) listen() (s net.Listener, err error) {
	err = inside(l.far, func() (err error) {
		s, err = net.Listen("tcp", l.address+":0")
		return err
	})
	return s, err
}

// dial returns a dialer from the near end, with a congestion control.
func (l *link) dial(congestion string) func(context.Context, string, string) (net.Conn, error) {
	d := net.Dialer{Control: func(_, _ string, c syscall.RawConn) error {
		var failed error
		err := c.Control(func(fd uintptr) {
			failed = syscall.SetsockoptString(int(fd), syscall.IPPROTO_TCP, syscall.TCP_CONGESTION, congestion)
		})
		return errors.Join(err, failed)
	}}
	return func(_ context.Context, _, address string) (c net.Conn, err error) {
		err = inside(l.near, func() (err error) {
			c, err = d.Dial("tcp4", address) // one address: it stays on this thread
			return err
		})
		return c, err
	}
}

// tun makes a TUN device at each end and carries packets between them: each waits for the
// ones before it, takes its size divided by the rate, and arrives half a round trip later.
func (l *link) tun(k linkKind) error {
	near, err := openTUN(l.near, "near0")
	if err != nil {
		return err
	}
	far, err := openTUN(l.far, "far0")
	if err != nil {
		return err
	}
	for _, way := range [][2]*os.File{{near, far}, {far, near}} {
		queue := make(chan packet, 4000)
		go takePackets(way[0], queue, k) // these end with the process
		go givePackets(way[1], queue)
	}
	return nil
}

type packet struct {
	data []byte
	due  time.Time
}

// synctest: not in a bubble: measures real links, run only by make bench-accuracy.
func takePackets(from *os.File, queue chan packet, k linkKind) {
	defer close(queue)
	free := time.Now() // when the wire is free again
	for {
		buf := make([]byte, 2048)
		n, err := from.Read(buf)
		if errors.Is(err, syscall.EIO) || errors.Is(err, syscall.EBADFD) { // not up yet
			time.Sleep(time.Millisecond)
			continue
		}
		if err != nil {
			return
		}
		if now := time.Now(); now.After(free) {
			free = now
		}
		free = free.Add(time.Duration(float64(n*8) / k.Rate * float64(time.Second)))
		select {
		case queue <- packet{buf[:n], free.Add(k.RTT / 2)}:
		default: // the queue is full: the packet is lost
		}
	}
}

func givePackets(to *os.File, queue chan packet) {
	for p := range queue {
		for wait := time.Until(p.due); wait > 0; wait = time.Until(p.due) { // a signal ends a nap
			ts := syscall.NsecToTimespec(int64(wait))
			_ = syscall.Nanosleep(&ts, nil)
		}
		_, _ = to.Write(p.data)
	}
}

func openTUN(ns, name string) (file *os.File, err error) {
	err = inside(ns, func() error {
		fd, err := syscall.Open("/dev/net/tun", syscall.O_RDWR|syscall.O_CLOEXEC|syscall.O_NONBLOCK, 0)
		if err != nil {
			return err
		}
		var request [40]byte // struct ifreq: the name and the flags
		copy(request[:15], name)
		const tunNoPacketInfo = 0x1001
		*(*uint16)(unsafe.Pointer(&request[16])) = tunNoPacketInfo
		const tunSetIff = 0x400454ca
		if _, _, errno := syscall.Syscall(syscall.SYS_IOCTL, uintptr(fd), tunSetIff,
			uintptr(unsafe.Pointer(&request))); errno != 0 {
			_ = syscall.Close(fd)
			return errno
		}
		file = os.NewFile(uintptr(fd), name)
		return nil
	})
	return file, err
}
