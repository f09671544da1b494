package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"sluice/config"
)

// healthTimeout is how long the server may take to say how it is.
const healthTimeout = 2 * time.Second

// newHealthCommand returns the command `health`, for containers that hold nothing
// else to ask with.
func newHealthCommand(environ []string) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "health",
		Short: "Ask a running server on this machine whether it is ready",
		Long: "Ask a running server on this machine, at the admin listener of the same settings, whether it is ready.\n" +
			"The exit code is 0 only if it is.",
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			cfg, err := config.Load(cmd.Flags(), environ)
			if err != nil {
				return err
			}
			url, err := readyURL(cfg.AdminListen)
			if err != nil {
				return err
			}
			return askReady(cmd.Context(), url)
		},
	}
	settingFlags(cmd, "admin-listen")
	return cmd
}

// readyURL is where the listener at addr tells whether the server is ready. One
// on all addresses is asked on loopback.
func readyURL(addr string) (string, error) {
	if addr == "" {
		return "", errors.New("there is no admin listener to ask: set admin-listen")
	}
	host, port, err := net.SplitHostPort(addr)
	if err != nil {
		return "", err
	}
	if port == "0" {
		return "", errors.New("the admin listener's port isn't known: set admin-listen")
	}
	switch ip, _ := netip.ParseAddr(host); {
	case host == "", ip == netip.IPv4Unspecified():
		host = "127.0.0.1"
	case ip == netip.IPv6Unspecified():
		host = "::1"
	}
	return "http://" + net.JoinHostPort(host, port) + "/readyz", nil
}

func askReady(ctx context.Context, url string) error {
	ctx, cancel := context.WithTimeout(ctx, healthTimeout)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return err
	}
	// What stands in HTTP_PROXY is for others than this machine.
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	response, err := client.Do(request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		text, _ := io.ReadAll(io.LimitReader(response.Body, 1024)) // the status is enough
		return fmt.Errorf("%s: %s", response.Status, strings.TrimSpace(string(text)))
	}
	return nil
}
