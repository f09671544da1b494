package config

// smallestBlock is the block that a transfer starts with, and the unit of all block sizes.
const smallestBlock = 64 * KiB

// setting is a row of the table.
type setting struct {
	key     string              // its name as a flag and in the file
	initial string              // the default
	hint    string              // the kind of value, in the help of the flag
	help    string              // what it is: one sentence with the unit and what zero or empty means
	risk    string              // what a bad choice costs
	field   func(c *Config) any // a pointer to its place, of a type that assign knows
	limits  []rule
	live    bool // a reload puts it into effect; all others need a restart
}

// settings is the table of all settings, in the order in which they are listed.
var settings = []setting{
	{
		key: "listen", initial: "127.0.0.1:8080", hint: "address",
		help:   "Address of the public listener; port 0 picks a free one, an empty host means every interface.",
		risk:   "Beyond loopback, whoever reaches it can try to get in.",
		field:  func(c *Config) any { return &c.Listen },
		limits: []rule{address},
	},
	{
		key: "admin-listen", initial: "127.0.0.1:9180", hint: "address",
		help:   "Address of the listener for metrics, health and profiles; empty turns it off.",
		risk:   "Metrics and profiles tell file names, clients and the inside of the process: keep it private.",
		field:  func(c *Config) any { return &c.AdminListen },
		limits: []rule{addressOrOff, apartFromListen},
	},
	{
		key: "root", initial: "./data", hint: "folder",
		help:   "Folder of the files served; it is made when it does not exist.",
		risk:   "Everything below it can be downloaded, replaced and removed.",
		field:  func(c *Config) any { return &c.Root },
		limits: []rule{notEmpty},
	},
	{
		key: "base-path", initial: "/", hint: "path",
		help:   "Path below which everything public stands, for a proxy that passes on paths as they are; all else is 404.",
		risk:   "A proxy that cuts the path off needs / here and X-Forwarded-Prefix.",
		field:  func(c *Config) any { return &c.BasePath },
		limits: []rule{plainPath},
	},
	{
		key: "trusted-proxies", initial: "", hint: "list",
		help:  "Networks and addresses of proxies, with commas between them, whose Forwarded or X-Forwarded-* fields count; empty means none.",
		risk:  "Whoever connects from there can pass for any client and have any URL told.",
		field: func(c *Config) any { return &c.TrustedProxies },
	},
	{
		key: "absolute-urls", initial: "false", hint: "switch",
		help:  "Location and Content-Location are whole URLs where a trusted proxy tells the scheme, and the host unless it keeps Host; else they are paths.",
		risk:  "A proxy that passes on such fields of its clients lets them choose the URL.",
		field: func(c *Config) any { return &c.AbsoluteURLs },
	},
	{
		key: "allowed-hosts", initial: "", hint: "list",
		help: "Hosts without ports, with commas between them, that requests may name, beside localhost, loopback addresses and that of listen; others get 421. " +
			"Empty lets any pass, but on loopback no names with a dot.",
		risk:  "Without a list beyond loopback, pages of others can read everything by giving their own name the server's address (DNS rebinding).",
		field: func(c *Config) any { return &c.AllowedHosts },
	},
	{
		key: "cors-origins", initial: "", hint: "list",
		help:  "Origins, with commas between them, whose pages may upload, download and remove; * means all, empty none but the server's own.",
		risk:  "Open to all, every page that somebody opens who reaches the server can read, replace and remove files.",
		field: func(c *Config) any { return &c.CORSOrigins },
	},
	{
		key: "anonymous", initial: Auto, hint: "words",
		help: "What may be done without a credential: scopes (read, write, delete, list, admin), none, or auto, which is everything " +
			"at a loopback address as long as nothing else here lets anybody show who they are, and else nothing.",
		risk:   "Whoever reaches the server can do that.",
		field:  func(c *Config) any { return &c.Anonymous },
		limits: []rule{alone(Auto), alone(None), someOf(Auto, None, "read", "write", "delete", "list", "admin")},
	},
	{
		key: "token-file", initial: "", hint: "file",
		help:  "File of the tokens that clients show, kept by sluice token and read again when it changes; empty means none.",
		risk:  "Whoever can write to it can do everything; the file has to be there at the start.",
		field: func(c *Config) any { return &c.TokenFile },
	},
	{
		key: "link-key-file", initial: "", hint: "file",
		help:  "File of the keys that links are signed with, one a line, 32 bytes or more in base64; the first signs, all hold, and it is read again when it changes. Empty means no links.",
		risk:  "Whoever can read it can make links to everything.",
		field: func(c *Config) any { return &c.LinkKeyFile },
	},
	{
		key: "jwt-issuer", initial: "", hint: "URL",
		help:   "Issuer whose JWTs are taken as bearers; empty means none.",
		risk:   "It decides who may do what.",
		field:  func(c *Config) any { return &c.JWTIssuer },
		limits: []rule{webURLOrOff},
	},
	{
		key: "jwt-audience", initial: "", hint: "text",
		help:   "What a JWT has to have in its audience.",
		risk:   "One that other services have too lets them use the JWTs that they get.",
		field:  func(c *Config) any { return &c.JWTAudience },
		limits: []rule{setForJWTs},
	},
	{
		key: "jwt-keys-url", initial: "", hint: "URL",
		help:   "Where the issuer's keys are (JWKS); empty asks the issuer by its /.well-known/openid-configuration.",
		risk:   "With http, whoever is on the way can sign JWTs.",
		field:  func(c *Config) any { return &c.JWTKeysURL },
		limits: []rule{webURLOrOff},
	},
	{
		key: "jwt-keys-file", initial: "", hint: "file",
		help:  "File with the issuer's keys (JWKS), in place of asking anybody; read again when it changes.",
		risk:  "Keys that the issuer has given up hold until the file says otherwise.",
		field: func(c *Config) any { return &c.JWTKeysFile },
	},
	{
		key: "jwt-algorithms", initial: "RS256,PS256,ES256,EdDSA", hint: "words",
		help:   "Algorithms of signatures that are taken.",
		risk:   "Those of shared secrets, and none, can't be chosen.",
		field:  func(c *Config) any { return &c.JWTAlgorithms },
		limits: []rule{someOf("RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512", "EdDSA")},
	},
	{
		key: "jwt-scopes-claim", initial: "scope", hint: "text",
		help:   "Claim of a JWT with its scopes, as words with blanks between them or a list; those that begin with sluice: count, such as sluice:read.",
		risk:   "A claim that users can fill in themselves lets them do everything.",
		field:  func(c *Config) any { return &c.JWTScopesClaim },
		limits: []rule{notEmpty},
	},
	{
		key: "jwt-prefix-claim", initial: "sluice_prefix", hint: "text",
		help:   "Claim of a JWT with the folder that everything has to be in; a JWT without it means all folders.",
		risk:   "An issuer that doesn't set it gives everybody all folders.",
		field:  func(c *Config) any { return &c.JWTPrefixClaim },
		limits: []rule{notEmpty},
	},
	{
		key: "user-header", initial: "", hint: "field",
		help:   "Field in which a proxy among trusted-proxies names the user that it has let in, such as X-Forwarded-User; empty means none. From others it counts for nothing.",
		risk:   "A proxy that passes on the field of its clients lets them be anybody.",
		field:  func(c *Config) any { return &c.UserHeader },
		limits: []rule{fieldOrOff, behindProxies},
	},
	{
		key: "user-scopes", initial: "read,write,delete,list", hint: "words",
		help:   "What users may do whom a proxy names in user-header.",
		risk:   "Every user of the proxy may do that.",
		field:  func(c *Config) any { return &c.UserScopes },
		limits: []rule{someOf("read", "write", "delete", "list", "admin")},
	},
	{
		key: "ietf-uploads", initial: "false", hint: "switch",
		help:  "Resumable uploads of the IETF's draft are taken at /tus/ beside tus, interop versions 3 to 6.",
		risk:  "The draft changes: clients of other versions are refused.",
		field: func(c *Config) any { return &c.IETFUploads },
	},
	{
		key: "block-size", initial: "4MiB", hint: "size",
		help:   "Largest block, in bytes, in which a transfer moves data between socket and disk.",
		risk:   "Small blocks cost speed and CPU time; large ones use up buffer-memory with fewer transfers.",
		field:  func(c *Config) any { return &c.BlockSize },
		limits: []rule{within(smallestBlock, 64*MiB), multipleOf(smallestBlock)},
	},
	{
		key: "blocks-per-transfer", initial: "2", hint: "count",
		help:   "Blocks that one transfer has in turn, so that socket and disk work at the same time.",
		risk:   "More than two help only where the disk answers unevenly, and cost memory for each transfer.",
		field:  func(c *Config) any { return &c.BlocksPerTransfer },
		limits: []rule{within(2, 8)},
	},
	{
		key: "buffer-memory", initial: "256MiB", hint: "size",
		help:   "Bytes of all blocks together; when they are lent out, transfers go on with small blocks.",
		risk:   "Too little slows many transfers at once; too much can exhaust the memory of the machine.",
		field:  func(c *Config) any { return &c.BufferMemory },
		limits: []rule{roomForOne},
	},
	{
		key: "io", initial: Auto, hint: "word",
		help:   "How uploads are written: direct goes past the page cache, buffered through it, auto decides for each upload.",
		risk:   "Direct makes small files slower; buffered costs CPU time and fills the page cache, which a container's memory limit counts.",
		field:  func(c *Config) any { return &c.IO },
		limits: []rule{oneOf(Auto, Direct, Buffered)},
	},
	{
		key: "send", initial: Auto, hint: "word",
		help:   "How downloads are sent: direct reads past the page cache, sendfile lets the kernel copy from it, auto decides for each download.",
		risk:   "Sendfile is slow on files that are not cached; direct reads from the disk each time.",
		field:  func(c *Config) any { return &c.Send },
		limits: []rule{oneOf(Auto, Direct, Sendfile)},
	},
	{
		key: "durability", initial: "commit", hint: "policy",
		help: "What an acknowledged upload survives: commit syncs file and folder before the answer, every=SIZE also each so many bytes of a running upload, " +
			"none leaves syncing to the system.",
		risk:  "With none, files whose upload was acknowledged can be lost or empty after a loss of power.",
		field: func(c *Config) any { return &c.Durability },
	},
	{
		key: "on-conflict", initial: Overwrite, hint: "word",
		help:   "What becomes of an upload whose name is taken: overwrite replaces the file, reject refuses the upload, rename gives it a number.",
		risk:   "With overwrite, whoever may upload can replace every file.",
		field:  func(c *Config) any { return &c.OnConflict },
		limits: []rule{oneOf(Overwrite, Reject, Rename)},
	},
	{
		key: "max-upload-size", live: true, initial: "0", hint: "size",
		help:  "Largest file taken, in bytes; 0 means no limit.",
		risk:  "Without a limit one client can fill the disk.",
		field: func(c *Config) any { return &c.MaxUploadSize },
	},
	{
		key: "min-free", live: true, initial: "0", hint: "size",
		help:  "Bytes that uploads have to leave free on the file system; what would not is refused with 507.",
		risk:  "With 0 uploads may fill the disk, and whatever else writes to it fails.",
		field: func(c *Config) any { return &c.MinFree },
	},
	{
		key: "quota", live: true, initial: "0", hint: "size",
		help:  "Bytes that all files and uploads below the root may take together; 0 means no limit.",
		risk:  "With a quota the start reads the size of every file; files that other programs add or remove are not counted until the next start.",
		field: func(c *Config) any { return &c.Quota },
	},
	{
		key: "max-connections", live: true, initial: "10000", hint: "count",
		help:   "Open connections, at most; more are answered with 503 and closed. 0 means no limit.",
		risk:   "Each costs a file descriptor and up to 40 KiB of memory.",
		field:  func(c *Config) any { return &c.MaxConnections },
		limits: []rule{within(0, 1000000)},
	},
	{
		key: "max-connections-per-client", live: true, initial: "0", hint: "count",
		help:   "Open connections of one address, at most; 0 means no limit.",
		risk:   "Behind a proxy that is not among trusted-proxies all clients have one address; one that is has no such limit.",
		field:  func(c *Config) any { return &c.MaxConnectionsPerClient },
		limits: []rule{within(0, 1000000)},
	},
	{
		key: "max-transfers", live: true, initial: "4096", hint: "count",
		help:   "Requests that move files at a time, at most; more are answered with 503. 0 means no limit.",
		risk:   "Beyond buffer-memory / 64KiB, transfers wait for each other's blocks.",
		field:  func(c *Config) any { return &c.MaxTransfers },
		limits: []rule{within(0, 1000000)},
	},
	{
		key: "max-transfers-per-client", live: true, initial: "0", hint: "count",
		help:   "Requests of one address that move files at a time, at most; 0 means no limit.",
		risk:   "Behind a proxy that is not among trusted-proxies all clients have one address; browsers use up to six connections.",
		field:  func(c *Config) any { return &c.MaxTransfersPerClient },
		limits: []rule{within(0, 1000000)},
	},
	{
		key: "upload-rate", live: true, initial: "0", hint: "size",
		help:  "Bytes per second that all uploads together may reach; 0 means no limit.",
		risk:  "Too low, clients give up.",
		field: func(c *Config) any { return &c.UploadRate },
	},
	{
		key: "download-rate", live: true, initial: "0", hint: "size",
		help:  "Bytes per second that all downloads together may reach; 0 means no limit.",
		risk:  "Too low, clients give up.",
		field: func(c *Config) any { return &c.DownloadRate },
	},
	{
		key: "transfer-rate", live: true, initial: "0", hint: "size",
		help:  "Bytes per second that each transfer may reach; 0 means no limit.",
		risk:  "Clients can open several.",
		field: func(c *Config) any { return &c.TransferRate },
	},
	{
		key: "min-rate", live: true, initial: "0", hint: "size",
		help:  "Bytes per second that a client has to reach over idle-timeout, or its transfer is ended; 0 lets any rate pass that is not silence.",
		risk:  "Clients on bad networks are cut off; without it one can hold a place by a byte from time to time.",
		field: func(c *Config) any { return &c.MinRate },
	},
	{
		key: "upload-expiry", live: true, initial: "168h", hint: "duration",
		help:  "Time after which a tus upload that nobody continues is removed; 0 keeps them forever.",
		risk:  "Too short, clients cannot resume after a weekend; 0 lets abandoned uploads fill the disk.",
		field: func(c *Config) any { return &c.UploadExpiry },
	},
	{
		key: "webhook-url", initial: "", hint: "URL",
		help:   "Where events of uploads are posted as JSON, signed; empty turns that off.",
		risk:   "The receiver learns names, clients, metadata and the ids of tus uploads; with http so does the network.",
		field:  func(c *Config) any { return &c.WebhookURL },
		limits: []rule{webURLOrOff},
	},
	{
		key: "webhook-secret-file", initial: "", hint: "file",
		help:   "File with the secret that requests to webhook-url and webhook-veto-url are signed with: whsec_ and 24 to 64 bytes in base64.",
		risk:   "Who can read it can make events that the receiver believes.",
		field:  func(c *Config) any { return &c.WebhookSecretFile },
		limits: []rule{setForWebhooks},
	},
	{
		key: "webhook-events", initial: "created,finished,terminated", hint: "words",
		help:   "Events that are posted to webhook-url, with commas between them.",
		risk:   "Each one is a small file that is written, and synced as uploads are, before the client has its answer.",
		field:  func(c *Config) any { return &c.WebhookEvents },
		limits: []rule{someOf(Created, Finished, Terminated)},
	},
	{
		key: "webhook-timeout", initial: "10s", hint: "duration",
		help:   "Time for webhook-url to answer; an event that it doesn't answer is posted again.",
		risk:   "Events go one after the other: too long, one that gets no answer holds all others up; too short, slow receivers get them twice.",
		field:  func(c *Config) any { return &c.WebhookTimeout },
		limits: []rule{positive},
	},
	{
		key: "webhook-max-age", initial: "72h", hint: "duration",
		help:  "Age at which an event that could not be posted is given up and set aside; 0 gives none up.",
		risk:  "Too short, a receiver that is down over a weekend misses events.",
		field: func(c *Config) any { return &c.WebhookMaxAge },
	},
	{
		key: "webhook-veto-url", initial: "", hint: "URL",
		help:   "What is asked before each upload: 2xx lets it begin, 4xx refuses it; empty turns that off.",
		risk:   "Every upload waits for its answer.",
		field:  func(c *Config) any { return &c.WebhookVetoURL },
		limits: []rule{webURLOrOff},
	},
	{
		key: "webhook-veto-timeout", initial: "5s", hint: "duration",
		help:   "Time that an upload waits for the answer of webhook-veto-url.",
		risk:   "Too long, clients give up before; too short, a busy receiver decides nothing.",
		field:  func(c *Config) any { return &c.WebhookVetoTimeout },
		limits: []rule{positive},
	},
	{
		key: "webhook-veto-failure", initial: Closed, hint: "word",
		help:   "What becomes of an upload that webhook-veto-url doesn't decide about: closed refuses it with 503, open lets it begin.",
		risk:   "With closed a receiver that is down stops all uploads; with open it stops none.",
		field:  func(c *Config) any { return &c.WebhookVetoFailure },
		limits: []rule{oneOf(Closed, Open)},
	},
	{
		key: "max-header-size", initial: "32KiB", hint: "size",
		help:   "Largest head of a request (request line and header fields), in bytes.",
		risk:   "Too small refuses clients with large cookies; a connection on which large heads come may hold some times as much memory.",
		field:  func(c *Config) any { return &c.MaxHeaderSize },
		limits: []rule{within(4*KiB, MiB)},
	},
	{
		key: "idle-timeout", live: true, initial: "30s", hint: "duration",
		help:   "Time after which an upload or download that moves no byte is ended; slow ones that move go on.",
		risk:   "Too short cuts clients on bad networks; too long lets dead ones hold blocks and connections.",
		field:  func(c *Config) any { return &c.IdleTimeout },
		limits: []rule{positive},
	},
	{
		key: "header-timeout", initial: "10s", hint: "duration",
		help:   "Time for the head of a request to arrive in full.",
		risk:   "Too long lets clients that send byte by byte hold connections.",
		field:  func(c *Config) any { return &c.HeaderTimeout },
		limits: []rule{positive},
	},
	{
		key: "keep-alive-timeout", initial: "75s", hint: "duration",
		help:   "Time that an open connection may wait for its next request.",
		risk:   "Shorter than that of a proxy in front makes some of its requests fail.",
		field:  func(c *Config) any { return &c.KeepAliveTimeout },
		limits: []rule{positive},
	},
	{
		key: "shutdown-grace", live: true, initial: "30s", hint: "duration",
		help:  "Time that running transfers get to finish when the server stops; 0 ends them at once.",
		risk:  "Longer than what the service manager allows, it is cut short by a kill.",
		field: func(c *Config) any { return &c.ShutdownGrace },
	},
	{
		key: "log-level", live: true, initial: "info", hint: "word",
		help:   "Least important kind of line that is logged.",
		risk:   "Above info there is no line for each transfer; debug writes many lines for each request.",
		field:  func(c *Config) any { return &c.LogLevel },
		limits: []rule{oneOf("debug", "info", "warn", "error")},
	},
	{
		key: "log-format", initial: JSON, hint: "word",
		help:   "Form of the log on standard error: json for machines, console for people.",
		risk:   "Log collectors cannot split console lines into fields.",
		field:  func(c *Config) any { return &c.LogFormat },
		limits: []rule{oneOf(JSON, Console)},
	},
	{
		key: "log-burst", initial: "1000", hint: "count",
		help:   "Lines of one kind in a second that are all logged; of what comes beyond, every hundredth is, and the next line tells by dropped_lines how many are missing. 0 logs all.",
		risk:   "Too small, transfers have no line; with 0 a flood of requests fills the disk of the log.",
		field:  func(c *Config) any { return &c.LogBurst },
		limits: []rule{within(0, 1_000_000)},
	},
	{
		key: "access-log", initial: "true", hint: "switch",
		help:  "Every request is logged; false logs transfers and failures alone.",
		risk:  "Without it nobody sees who looked at what.",
		field: func(c *Config) any { return &c.AccessLog },
	},
	{
		key: "metrics-live-transfers", initial: "50", hint: "count",
		help:   "Running transfers, at most, that have a rate series of their own in the metrics; 0 means none.",
		risk:   "Each transfer makes a new series: many of them burden Prometheus.",
		field:  func(c *Config) any { return &c.MetricsLiveTransfers },
		limits: []rule{within(0, 1000)},
	},
}
