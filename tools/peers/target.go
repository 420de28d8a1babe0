package main

import (
	"bufio"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
	"math/big"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

// target is a server in a process of its own.
type target struct {
	cmd                   *exec.Cmd
	plain, secure, second string // URLs of nginx: HTTP/1.1, over TLS, and HTTP/2 without it
	ca                    string // file of the certificate
}

func (t *target) stop() {
	_ = t.cmd.Process.Signal(syscall.SIGTERM)
	_ = t.cmd.Wait()
}

const configuration = `daemon off; master_process off; pid nginx.pid; error_log error.log;
events { worker_connections 4096; }
http {
	access_log off; keepalive_requests 1000000000; keepalive_timeout 1h;
	client_body_temp_path a; proxy_temp_path b; fastcgi_temp_path c; uwsgi_temp_path d; scgi_temp_path e;
	ssl_certificate cert.pem; ssl_certificate_key key.pem;
	server { listen 127.0.0.1:%d; listen 127.0.0.1:%d ssl; listen 127.0.0.1:%d http2; root www; }
}
`

// nginx starts the server that all generators ask.
func (b *bench) nginx() (*target, error) {
	program := filepath.Join(b.peers, "root/usr/sbin/nginx")
	if _, err := os.Stat(program); err != nil {
		if program, err = exec.LookPath("nginx"); err != nil {
			return nil, errors.New("there is no nginx: see what install.sh says")
		}
	}
	ports, err := free(3)
	if err != nil {
		return nil, err
	}
	dir := filepath.Join(b.dir, "nginx")
	if err := os.MkdirAll(filepath.Join(dir, "www"), 0o755); err != nil {
		return nil, err
	}
	// Whoever nginx runs as must get at the file.
	_ = os.Chmod(b.dir, 0o755)
	files := map[string]string{
		"www/1k.txt": strings.Repeat("x", 1024),
		"nginx.conf": fmt.Sprintf(configuration, ports[0], ports[1], ports[2]),
	}
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			return nil, err
		}
	}
	if err := certificate(dir); err != nil {
		return nil, err
	}
	t := &target{
		plain:  fmt.Sprintf("http://127.0.0.1:%d/1k.txt", ports[0]),
		secure: fmt.Sprintf("https://127.0.0.1:%d/1k.txt", ports[1]),
		second: fmt.Sprintf("http://127.0.0.1:%d/1k.txt", ports[2]),
		ca:     filepath.Join(dir, "cert.pem"),
	}
	t.cmd = exec.Command(program, "-p", dir, "-c", "nginx.conf")
	t.cmd.Env = b.environment()
	t.cmd.Stderr = os.Stderr
	t.cmd.SysProcAttr = dies()
	if err := t.cmd.Start(); err != nil {
		return nil, err
	}
	return t, t.listens(ports)
}

// free finds ports of this machine that nobody listens on.
func free(n int) (ports []int, err error) {
	for range n {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			return nil, err
		}
		defer func() { _ = l.Close() }()
		ports = append(ports, l.Addr().(*net.TCPAddr).Port)
	}
	return ports, nil
}

// listens waits until the server can be reached.
func (t *target) listens(ports []int) error {
	for _, port := range ports {
		for tries := 0; ; tries++ {
			c, err := net.Dial("tcp", fmt.Sprintf("127.0.0.1:%d", port))
			if err == nil {
				_ = c.Close()
				break
			}
			if tries == 1000 {
				t.stop()
				return fmt.Errorf("%s does not listen: %w", t.cmd.Path, err)
			}
			time.Sleep(10 * time.Millisecond)
		}
	}
	return nil
}

// certificate makes one for this machine.
func certificate(dir string) error {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return err
	}
	made := &x509.Certificate{SerialNumber: big.NewInt(1), NotAfter: time.Now().AddDate(0, 0, 1), IsCA: true,
		BasicConstraintsValid: true, IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}}
	cert, err := x509.CreateCertificate(rand.Reader, made, made, &key.PublicKey, key)
	if err != nil {
		return err
	}
	private, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		return err
	}
	for name, block := range map[string]*pem.Block{
		"cert.pem": {Type: "CERTIFICATE", Bytes: cert}, "key.pem": {Type: "PRIVATE KEY", Bytes: private},
	} {
		if err := os.WriteFile(filepath.Join(dir, name), pem.EncodeToMemory(block), 0o600); err != nil {
			return err
		}
	}
	return nil
}

// serve starts 'plimsoll serve http' with these flags, on a port of its own.
func (b *bench) serve(flags ...string) (*target, error) {
	t := &target{cmd: exec.Command(b.binary, append([]string{"serve", "http", "--listen", "127.0.0.1:0"}, flags...)...)}
	t.cmd.SysProcAttr = dies()
	said, err := t.cmd.StderrPipe()
	if err != nil {
		return nil, err
	}
	if err := t.cmd.Start(); err != nil {
		return nil, err
	}
	lines := bufio.NewScanner(said)
	for lines.Scan() {
		if at := strings.Index(lines.Text(), "http://127.0.0.1:"); at >= 0 {
			t.plain = strings.TrimRight(strings.Fields(lines.Text()[at:])[0], "/.,") + "/"
			return t, nil
		}
	}
	t.stop()
	return nil, errors.New("plimsoll serve http did not say where it is")
}
