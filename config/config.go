package config

import "time"

// Words that settings are chosen from.
const (
	Auto     = "auto"     // io, send: decided per transfer; anonymous: everything on loopback without authentication
	Direct   = "direct"   // io, send: past the page cache
	Buffered = "buffered" // io: through the page cache
	Sendfile = "sendfile" // send: the kernel copies from the page cache to the socket

	None = "none" // anonymous: nothing

	Overwrite = "overwrite" // on-conflict: the last to finish wins
	Reject    = "reject"    // on-conflict: the file that is there stays
	Rename    = "rename"    // on-conflict: the upload gets a number behind its name

	Created    = "created"    // webhook-events: an upload has begun
	Finished   = "finished"   // webhook-events: its file stands under its name
	Terminated = "terminated" // webhook-events: it has ended without a file

	Closed = "closed" // webhook-veto-failure: the upload is refused
	Open   = "open"   // webhook-veto-failure: the upload goes on

	JSON    = "json"    // log-format: one JSON object a line
	Console = "console" // log-format: columns for a person to read
)

// Config is the settings in effect. What Load returns lies within every limit of the table.
type Config struct {
	Listen      string // host:port of the public listener; port 0 picks a free one
	AdminListen string // host:port of the listener for metrics and health; empty: none
	Root        string // folder of the files served

	TLSCert            Files         // certificates with their chains, PEM; empty: plain HTTP, unless ACMEDomains
	TLSKey             Files         // the key of each, PEM
	ACMEDomains        Hosts         // names that certificates are got for
	ACMEEmail          string        // where the certificate authority may write; empty: nowhere
	ACMEDirectory      string        // URL of the certificate authority's directory
	HTTPRedirectListen string        // host:port that leads plain HTTP to TLS; empty: none
	HSTSMaxAge         time.Duration // time that browsers shall use TLS alone; 0: don't tell them

	AllowAnonymousPublic bool // an address beyond loopback is served without authentication

	BasePath       string   // path below which everything public stands
	TrustedProxies Networks // proxies whose word on client and URL counts
	AbsoluteURLs   bool     // Location is a whole URL where its beginning is known
	AllowedHosts   Hosts    // hosts that requests may name; empty: see OPERATIONS.md
	CORSOrigins    Origins  // origins whose pages may use the server
	Anonymous      Words    // what may be done without a credential: Auto, None or scopes
	TokenFile      string   // file of the tokens; empty: none
	LinkKeyFile    string   // file of the keys of signed links; empty: no links
	JWTIssuer      string   // issuer of JWTs; empty: none are taken
	JWTAudience    string   // what has to be in their audience
	JWTKeysURL     string   // where its keys are; empty: the issuer tells
	JWTKeysFile    string   // file with its keys, in place of asking
	JWTAlgorithms  Words    // algorithms of their signatures
	JWTScopesClaim string   // claim with words such as sluice:read
	JWTPrefixClaim string   // claim with the folder
	UserHeader     string   // field in which trusted proxies name the user; empty: none
	UserScopes     Words    // what those may do
	IETFUploads    bool     // resumable uploads of the IETF's draft are taken

	BlockSize         Size   // largest block of a transfer, bytes
	BlocksPerTransfer int    // blocks that one transfer has in turn
	BufferMemory      Size   // bytes of all blocks together
	IO                string // how uploads are written: Auto, Direct or Buffered
	Send              string // how downloads are sent: Auto, Direct or Sendfile

	Durability Durability // what an acknowledged upload survives

	OnConflict string // an upload whose name is taken: Overwrite, Reject or Rename

	MaxUploadSize Size // largest file taken, bytes; 0: no limit
	MinFree       Size // what uploads have to leave free on the disk, bytes
	Quota         Size // what files and uploads may take together, bytes; 0: no limit
	MaxHeaderSize Size // largest head of a request, bytes

	MaxConnections          int // open connections; 0: no limit
	MaxConnectionsPerClient int // of one address; 0: no limit
	MaxTransfers            int // requests that move files at a time; 0: no limit
	MaxTransfersPerClient   int // of one address; 0: no limit

	UploadRate   Size // bytes per second of all uploads together; 0: no limit
	DownloadRate Size // bytes per second of all downloads together; 0: no limit
	TransferRate Size // bytes per second of each transfer; 0: no limit
	MinRate      Size // bytes per second that a client has to reach; 0: any

	UploadExpiry time.Duration // silence after which an unfinished upload is removed; 0: never

	WebhookURL         string        // where events of uploads are posted; empty: nowhere
	WebhookSecretFile  string        // file of the key that events are signed with
	WebhookEvents      Words         // types of events that are posted
	WebhookTimeout     time.Duration // time for one attempt
	WebhookMaxAge      time.Duration // age at which an event is given up; 0: never
	WebhookVetoURL     string        // what is asked before an upload; empty: nobody
	WebhookVetoTimeout time.Duration // time that an upload waits for the answer
	WebhookVetoFailure string        // an upload that nobody decides about: Closed or Open

	IdleTimeout      time.Duration // silence that ends a transfer
	HeaderTimeout    time.Duration // time for the head of a request to arrive
	KeepAliveTimeout time.Duration // time that a connection may wait for its next request
	ShutdownGrace    time.Duration // time that running transfers get when the server stops

	LogLevel             string // debug, info, warn or error
	LogFormat            string // JSON or Console
	LogBurst             int    // lines a second of one kind that are all logged; 0: no limit
	TraceURL             string // where spans of transfers are sent by OTLP over HTTP; empty: nowhere
	AccessLog            bool   // every request is logged, and not transfers and failures alone
	MetricsLiveTransfers int    // running transfers that have a rate series of their own

	sources map[string]string
}

// HasTLS reports whether the public listener speaks TLS.
func (c Config) HasTLS() bool { return len(c.TLSCert)+len(c.ACMEDomains) > 0 }

// Authenticates reports whether anybody can show who they are.
func (c Config) Authenticates() bool {
	return c.TokenFile != "" || c.LinkKeyFile != "" || c.JWTIssuer != "" || c.UserHeader != ""
}
