package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"text/template"
	"time"
)

const (
	tusdModule  = "github.com/tus/tusd/v2/cmd/tusd@v2.9.1"
	caddyModule = "github.com/caddyserver/caddy/v2/cmd/caddy@v2.11.9"
	// startTimeout bounds how long a server may take until it answers.
	startTimeout = 10 * time.Second
)

// server is one running peer.
type server struct {
	addr  string
	paths map[string]string // scenario -> path; "" is the default
	store string            // folder on the disk that "" stands for
	// secure is set where it speaks HTTPS.
	secure bool
	pids   []int
	cmd    *exec.Cmd
}

func (s *server) url(scenario string) string {
	path, ok := s.paths[scenario]
	if !ok {
		path = s.paths[""]
	}
	scheme := "http://"
	if s.secure {
		scheme = "https://"
	}
	return scheme + s.addr + path
}

type peers struct{ servers map[string]*server }

// starters start each of the peers.
var starters = map[string]func(context.Context, options, string) (*server, error){
	"sluice": sluiceStarter("commit"), "sluice-none": sluiceStarter("none"), "sluice-crowd": sluiceStarter("commit"),
	"sluice-tls": startSluiceTLS, "nginx-tls": nginxStarter(true),
	"nginx": nginxStarter(false), "tusd": startTusd, "caddy": startCaddy,
}

// startPeers starts those that the series need.
func startPeers(ctx context.Context, opts options, all []series) (*peers, error) {
	p := &peers{servers: map[string]*server{}}
	for _, s := range all {
		for _, name := range []string{s.a(), s.peer} {
			if p.servers[name] != nil {
				continue
			}
			root := filepath.Join(opts.scratch, "files", name)
			if err := os.MkdirAll(root, 0o777); err != nil {
				return p, err
			}
			started, err := starters[name](ctx, opts, root)
			if err != nil {
				return p, fmt.Errorf("start %s: %w", name, err)
			}
			p.servers[name] = started
		}
	}
	return p, nil
}

// stop ends every server by the pid that was started.
func (p *peers) stop() error {
	var errs []error
	for name, s := range p.servers {
		if err := s.cmd.Process.Signal(syscall.SIGTERM); err != nil {
			errs = append(errs, fmt.Errorf("stop %s: %w", name, err))
		}
		_ = s.cmd.Wait() // how it ends doesn't matter any more
	}
	return errors.Join(errs...)
}

func buildSluice(ctx context.Context, scratch string) (string, error) {
	binary := filepath.Join(scratch, "sluice")
	cmd := exec.CommandContext(ctx, "go", "build", "-trimpath", "-o", binary, "./cmd/sluice")
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	cmd.Stderr = os.Stderr
	if err := cmd.Run(); err != nil {
		return "", fmt.Errorf("build sluice: %w", err)
	}
	return binary, nil
}

// sluiceStarter starts sluice with a durability.
func sluiceStarter(durability string) func(context.Context, options, string) (*server, error) {
	return func(_ context.Context, opts options, root string) (*server, error) {
		return startSluice(sluiceCommand(opts, root, "--durability", durability))
	}
}

func sluiceCommand(opts options, root string, flags ...string) *exec.Cmd {
	args := []string{"serve", "--root", root, "--listen", "127.0.0.1:0", "--admin-listen", ""}
	return exec.Command(opts.binary, append(args, flags...)...)
}

// startSluice learns the address from the line that is logged on serving.
func startSluice(cmd *exec.Cmd) (*server, error) {
	log, err := cmd.StderrPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	addr, err := servingAddr(bufio.NewScanner(log))
	if err != nil {
		return nil, errors.Join(err, cmd.Process.Kill())
	}
	go io.Copy(io.Discard, log)
	return &server{addr: addr, paths: map[string]string{"": "/files/", "tus": "/tus/"}, pids: []int{cmd.Process.Pid}, cmd: cmd}, nil
}

func servingAddr(lines *bufio.Scanner) (string, error) {
	for lines.Scan() {
		var line struct{ Msg, Listen string }
		if json.Unmarshal(lines.Bytes(), &line) == nil && line.Msg == "serving" {
			return line.Listen, nil
		}
		fmt.Fprintln(os.Stderr, lines.Text())
	}
	return "", fmt.Errorf("it ended before it served: %w", lines.Err())
}

var nginxConf = template.Must(template.New("nginx.conf").Parse(`
user root;
worker_processes auto;
daemon off;
pid {{.Root}}/nginx.pid;
error_log {{.Root}}/error.log;
events { worker_connections 1024; }
http {
  access_log off;
  sendfile on;
  client_body_temp_path {{.Root}}/body;
  client_max_body_size 0;
  client_body_buffer_size 1m;
  server {
    listen {{.Addr}}{{with .TLS}} ssl;
    ssl_certificate {{.Cert}};
    ssl_certificate_key {{.Key}};
    ssl_protocols TLSv1.2 TLSv1.3{{end}};
    root {{.Root}}/root;
    location / {
      dav_methods PUT DELETE;
      create_full_put_path on;
    }
  }
}
`))

// nginxStarter starts nginx, with TLS if it is to be secure.
func nginxStarter(secure bool) func(context.Context, options, string) (*server, error) {
	return func(ctx context.Context, opts options, root string) (*server, error) {
		var pair *certificate
		if secure {
			var err error
			if pair, err = makeCertificate(opts.scratch); err != nil {
				return nil, err
			}
		}
		s, err := startNginx(ctx, root, pair)
		if err == nil {
			s.secure = secure
		}
		return s, err
	}
}

func startNginx(ctx context.Context, root string, pair *certificate) (*server, error) {
	addr, err := freeAddr()
	if err != nil {
		return nil, err
	}
	if err := os.MkdirAll(filepath.Join(root, "root"), 0o777); err != nil {
		return nil, err
	}
	var conf strings.Builder
	if err := nginxConf.Execute(&conf, struct {
		Root, Addr string
		TLS        *certificate
	}{root, addr, pair}); err != nil {
		return nil, err
	}
	path := filepath.Join(root, "nginx.conf")
	if err := os.WriteFile(path, []byte(conf.String()), 0o644); err != nil {
		return nil, err
	}
	s, err := startCommand(ctx, addr, exec.Command("nginx", "-c", path))
	if err != nil {
		return nil, fmt.Errorf("%w (Debian's package nginx)", err)
	}
	s.paths, s.store = map[string]string{"": "/"}, filepath.Join(root, "root")
	if s.pids, err = children(s.cmd.Process.Pid); err != nil {
		return nil, errors.Join(err, s.cmd.Process.Kill())
	}
	return s, nil
}

func startTusd(ctx context.Context, opts options, root string) (*server, error) {
	s, err := startInstalled(ctx, opts, tusdModule, func(binary, host, port string) *exec.Cmd {
		return exec.Command(binary, "-host", host, "-port", port, "-upload-dir", root)
	})
	if err == nil {
		s.paths = map[string]string{"": "/files/"}
	}
	return s, err
}

// startCaddy starts Caddy's file server, which only gives files.
func startCaddy(ctx context.Context, opts options, root string) (*server, error) {
	s, err := startInstalled(ctx, opts, caddyModule, func(binary, host, port string) *exec.Cmd {
		cmd := exec.Command(binary, "file-server", "--root", root, "--listen", net.JoinHostPort(host, port))
		cmd.Env = append(os.Environ(), "HOME="+opts.scratch) // where it keeps its state
		return cmd
	})
	if err == nil {
		s.paths, s.store = map[string]string{"": "/"}, root
	}
	return s, err
}

// startInstalled starts a server on a free address whose binary is built
// from its module into the scratch folder.
func startInstalled(ctx context.Context, opts options, module string, command func(binary, host, port string) *exec.Cmd) (*server, error) {
	name, _, _ := strings.Cut(path.Base(module), "@")
	binary := filepath.Join(opts.scratch, name)
	if _, err := os.Stat(binary); err != nil {
		fmt.Fprintln(os.Stderr, "building", module)
		cmd := exec.CommandContext(ctx, "go", "install", module)
		cmd.Env = append(os.Environ(), "CGO_ENABLED=0", "GOBIN="+opts.scratch)
		cmd.Stderr = os.Stderr
		if err := cmd.Run(); err != nil {
			return nil, fmt.Errorf("build %s: %w", module, err)
		}
	}
	addr, err := freeAddr()
	if err != nil {
		return nil, err
	}
	host, port, err := net.SplitHostPort(addr)
	if err != nil {
		return nil, err
	}
	s, err := startCommand(ctx, addr, command(binary, host, port))
	if err == nil {
		s.pids = []int{s.cmd.Process.Pid}
	}
	return s, err
}

// startCommand starts a server and waits until its address takes connections.
func startCommand(ctx context.Context, addr string, cmd *exec.Cmd) (*server, error) {
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, startTimeout)
	defer cancel()
	for {
		conn, err := new(net.Dialer).DialContext(ctx, "tcp", addr)
		if err == nil {
			return &server{addr: addr, cmd: cmd}, conn.Close()
		}
		select {
		case <-ctx.Done():
			return nil, errors.Join(err, cmd.Process.Kill())
		case <-time.After(20 * time.Millisecond):
		}
	}
}

func freeAddr() (string, error) {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	return ln.Addr().String(), ln.Close()
}

// children returns a process and those it has started.
func children(parent int) ([]int, error) {
	pids := []int{parent}
	stats, err := filepath.Glob("/proc/[0-9]*/stat")
	if err != nil {
		return nil, err
	}
	for _, path := range stats {
		data, err := os.ReadFile(path)
		if err != nil {
			continue // it has ended meanwhile
		}
		// pid (name) state ppid ...; the name may hold blanks.
		_, rest, _ := strings.Cut(string(data), ") ")
		fields := strings.Fields(rest)
		if len(fields) < 2 || fields[1] != strconv.Itoa(parent) {
			continue
		}
		pid, err := strconv.Atoi(filepath.Base(filepath.Dir(path)))
		if err != nil {
			return nil, err
		}
		pids = append(pids, pid)
	}
	return pids, nil
}
