// The measuring program of Go's standard library: its digests and its RSA verification. The library has no
// CMS, so the program validates no receipts and has no command `check`.
package main

import (
	"crypto"
	"crypto/rsa"
	"crypto/sha1"
	"crypto/sha256"
	"crypto/sha512"
	"crypto/x509"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"time"
)

var usage = `usage: go describe
       go time --measure NAME [--samples N] [--milliseconds M] INPUT …
measures: sha1 sha256 sha384 sha512, INPUT a number of bytes;
          rsa2048 rsa3072 rsa4096, INPUT a directory of key.der, signature.bin and message.bin`

var measures = []string{"sha1", "sha256", "sha384", "sha512", "rsa2048", "rsa3072", "rsa4096"}

// A subject is a prepared input. Its operate performs the measured operation once and returns whether it
// succeeded.
type subject struct {
	name    string
	bytes   int
	operate func() bool
}

func main() {
	if len(os.Args) < 2 {
		stop(2, usage)
	}
	switch os.Args[1] {
	case "describe":
		print(struct {
			Peer     string   `json:"peer"`
			Version  string   `json:"version"`
			Built    string   `json:"built"`
			Measures []string `json:"measures"`
		}{"Go crypto", runtime.Version(), built(), measures})
	case "time":
		measureAll(os.Args[2:])
	default:
		stop(2, usage)
	}
}

// built returns the build target, and the processor level that the compiler builds for (GOAMD64 and similar).
func built() string {
	text := "go build, " + runtime.GOOS + "/" + runtime.GOARCH
	if information, known := debug.ReadBuildInfo(); known {
		for _, setting := range information.Settings {
			if setting.Key == "GO"+strings.ToUpper(runtime.GOARCH) {
				text += ", " + setting.Key + "=" + setting.Value
			}
		}
	}
	return text
}

func measureAll(arguments []string) {
	flags := flag.NewFlagSet("time", flag.ContinueOnError)
	flags.Usage = func() {}
	measure := flags.String("measure", "", "")
	samples := flags.Int("samples", 31, "")
	milliseconds := flags.Int("milliseconds", 300, "")
	flags.String("root", "", "")
	if flags.Parse(arguments) != nil || !slices.Contains(measures, *measure) || flags.NArg() == 0 ||
		*samples < 1 || *milliseconds < 1 {
		stop(2, usage)
	}
	length := time.Duration(*milliseconds) * time.Millisecond / time.Duration(*samples)
	for _, input := range flags.Args() {
		subject, err := prepare(*measure, input)
		if err != nil {
			stop(1, fmt.Sprintf("%s: %v", input, err))
		}
		operations, nanoseconds, err := sample(subject, *samples, length)
		if err != nil {
			stop(1, fmt.Sprintf("%s: %v", input, err))
		}
		print(struct {
			Measure     string    `json:"measure"`
			Input       string    `json:"input"`
			Bytes       int       `json:"bytes"`
			Operations  int       `json:"operations"`
			Nanoseconds []float64 `json:"nanoseconds"`
		}{*measure, subject.name, subject.bytes, operations, nanoseconds})
	}
}

func prepare(measure, input string) (subject, error) {
	if measure[:3] == "rsa" {
		return prepareRSA(measure, input)
	}
	count, err := strconv.Atoi(input)
	if err != nil || count < 0 {
		return subject{}, errors.New("not a number of bytes")
	}
	buffer := make([]byte, count)
	for i := range buffer {
		buffer[i] = byte(i)
	}
	// The first octet of the digest is used, so that the compiler does not remove the computation.
	digest := map[string]func() byte{
		"sha1":   func() byte { sum := sha1.Sum(buffer); return sum[0] },
		"sha256": func() byte { sum := sha256.Sum256(buffer); return sum[0] },
		"sha384": func() byte { sum := sha512.Sum384(buffer); return sum[0] },
		"sha512": func() byte { sum := sha512.Sum512(buffer); return sum[0] },
	}[measure]
	expected := digest()
	return subject{input, count, func() bool { return digest() == expected }}, nil
}

func prepareRSA(measure, directory string) (subject, error) {
	var files [3][]byte
	for i, name := range []string{"key.der", "signature.bin", "message.bin"} {
		var err error
		if files[i], err = os.ReadFile(filepath.Join(directory, name)); err != nil {
			return subject{}, err
		}
	}
	signature, digest := files[1], sha256.Sum256(files[2])
	parsed, err := x509.ParsePKIXPublicKey(files[0])
	if err != nil {
		return subject{}, err
	}
	key, isRSA := parsed.(*rsa.PublicKey)
	if !isRSA || "rsa"+strconv.Itoa(key.N.BitLen()) != measure {
		return subject{}, errors.New("not a key for " + measure)
	}
	return subject{filepath.Base(directory), len(signature), func() bool {
		return rsa.VerifyPKCS1v15(key, crypto.SHA256, digest[:], signature) == nil
	}}, nil
}

// sample times runs that take about the given length, after a warm-up of about one such run.
func sample(subject subject, samples int, length time.Duration) (int, []float64, error) {
	run := func(operations int) (time.Duration, error) {
		succeeded := 0
		start := time.Now()
		for range operations {
			if subject.operate() {
				succeeded++
			}
		}
		elapsed := time.Since(start)
		if succeeded != operations {
			return 0, fmt.Errorf("%d of %d operations failed", operations-succeeded, operations)
		}
		return elapsed, nil
	}
	operations := 1
	for {
		elapsed, err := run(operations)
		if err != nil {
			return 0, nil, err
		}
		if elapsed >= length {
			operations = max(1, int(float64(operations)*float64(length)/float64(elapsed)))
			break
		}
		operations *= 2
	}
	nanoseconds := make([]float64, samples)
	for i := range nanoseconds {
		elapsed, err := run(operations)
		if err != nil {
			return 0, nil, err
		}
		nanoseconds[i] = float64(elapsed.Nanoseconds()) / float64(operations)
	}
	return operations, nanoseconds, nil
}

// print writes one JSON object on a line of its own.
func print(value any) {
	if err := json.NewEncoder(os.Stdout).Encode(value); err != nil {
		stop(1, err.Error())
	}
}

func stop(status int, message string) {
	fmt.Fprintln(os.Stderr, message)
	os.Exit(status)
}
