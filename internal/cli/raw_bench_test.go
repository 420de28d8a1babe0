//go:build unix

package cli_test

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// rawTransfer is the main of a raw loop over net/http: it makes the requests that an upload in
// parts and a download consist of, and nothing else. Its arguments are the URL of a bucket
// that takes requests without a signature, the bytes of the file, those of a part, and how
// many parts are on their way. It prints a moved as JSON.
func rawTransfer() {
	var size, part int64
	var active int
	_, err := fmt.Sscan(strings.Join(os.Args[2:5], " "), &size, &part, &active)
	var m moved
	if err == nil {
		m, err = measureRaw(os.Args[1]+"/raw", size, part, active)
	}
	if err == nil {
		err = json.NewEncoder(os.Stdout).Encode(m)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "rawtransfer:", err)
		os.Exit(1)
	}
}

// moved is what one side of the comparison came to.
type moved struct {
	Upload, Download float64 // bytes per second
	UserNS, SystemNS float64 // processor time of both, per GiB
}

func measureRaw(address string, size, part int64, active int) (moved, error) {
	client := &http.Client{Transport: &http.Transport{
		MaxIdleConnsPerHost: active, DisableCompression: true, WriteBufferSize: 64 << 10, ReadBufferSize: 64 << 10,
	}}
	before, began := cpuTime(), time.Now()
	if err := rawUpload(client, address, size, part, active); err != nil {
		return moved{}, err
	}
	up := time.Since(began)
	began = time.Now()
	if err := rawDownload(client, address, size); err != nil {
		return moved{}, err
	}
	down := time.Since(began)
	used := cpuTime()
	gib := 2 * float64(size) / (1 << 30)
	m := moved{
		Upload: float64(size) / up.Seconds(), Download: float64(size) / down.Seconds(),
		UserNS: float64(used[0]-before[0]) / gib, SystemNS: float64(used[1]-before[1]) / gib,
	}
	_, err := rawDo(client, http.MethodDelete, address, nil)
	return m, err
}

func rawUpload(client *http.Client, address string, size, part int64, active int) error {
	answer, err := rawDo(client, http.MethodPost, address+"?uploads", nil)
	if err != nil {
		return err
	}
	var upload struct{ UploadId string }
	if err := xml.Unmarshal(answer, &upload); err != nil {
		return err
	}
	parts := (size + part - 1) / part
	tags := make([]string, parts)
	var next, failed atomic.Int64
	var workers sync.WaitGroup
	for range active {
		// Each part on its way is memory of its own, as in any program that has a file to send: one
		// buffer for all of them stays in the processor's cache.
		data := bytes.Repeat([]byte("raw data"), int(part/8))
		workers.Go(func() {
			for n := next.Add(1); n <= parts; n = next.Add(1) {
				tag, err := rawPart(client, fmt.Sprintf("%s?partNumber=%d&uploadId=%s", address, n, upload.UploadId), data[:min(part, size-(n-1)*part)])
				if err != nil {
					failed.Add(1)
					return
				}
				tags[n-1] = tag
			}
		})
	}
	workers.Wait()
	if failed.Load() > 0 {
		return errors.New("a part failed")
	}
	var list strings.Builder
	list.WriteString("<CompleteMultipartUpload>")
	for i, tag := range tags {
		fmt.Fprintf(&list, "<Part><PartNumber>%d</PartNumber><ETag>%s</ETag></Part>", i+1, tag)
	}
	list.WriteString("</CompleteMultipartUpload>")
	_, err = rawDo(client, http.MethodPost, address+"?uploadId="+upload.UploadId, []byte(list.String()))
	return err
}

func rawPart(client *http.Client, address string, data []byte) (tag string, err error) {
	req, err := http.NewRequest(http.MethodPut, address, bytes.NewReader(data))
	if err != nil {
		return "", err
	}
	resp, err := client.Do(req)
	if err != nil {
		return "", err
	}
	defer resp.Body.Close()
	if _, err := io.Copy(io.Discard, resp.Body); err != nil || resp.StatusCode != http.StatusOK {
		return "", fmt.Errorf("%s: %w", resp.Status, err)
	}
	return resp.Header.Get("ETag"), nil
}

func rawDownload(client *http.Client, address string, size int64) error {
	resp, err := client.Get(address)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	block := make([]byte, 8<<20)
	var got int64
	for {
		n, err := io.ReadFull(resp.Body, block)
		got += int64(n)
		if err != nil {
			break
		}
	}
	if got != size {
		return fmt.Errorf("%d of %d bytes", got, size)
	}
	return nil
}

func rawDo(client *http.Client, method, address string, body []byte) ([]byte, error) {
	req, err := http.NewRequest(method, address, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	resp, err := client.Do(req)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	answer, err := io.ReadAll(resp.Body)
	if err != nil || resp.StatusCode >= 300 {
		return nil, fmt.Errorf("%s %s: %s: %w", method, address, resp.Status, err)
	}
	return answer, nil
}
