package loadtest_test

import (
	"fmt"
	"os"
	"testing"

	"go.uber.org/goleak"
)

// peerVariable makes the test binary a bare server in a process of its own, so
// that the processor time of the two ends can be told apart.
const peerVariable = "LOADTEST_PEER"

// wordVariable makes it the server of serveWord.
const wordVariable = "LOADTEST_WORD"

func TestMain(m *testing.M) {
	if os.Getenv(peerVariable) != "" {
		if err := servePeer(); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	if word := os.Getenv(wordVariable); word != "" {
		fmt.Fprintln(os.Stderr, serveWord(word))
		os.Exit(1)
	}
	goleak.VerifyTestMain(m)
}
