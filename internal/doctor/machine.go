package doctor

// machineChecks are in the order in which they make sense to read.
var machineChecks = []machineCheck{
	{"root", root},
	{"file system", fileSystem},
	{"space", space},
	{"syncing", syncing},
	{"descriptors", descriptors},
	{"memory", memory},
	{"sockets", sockets},
	{"user", user},
}
