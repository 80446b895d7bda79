// Package safehttptest has the addresses that no outsider may make a server open.
package safehttptest

// Inside are addresses of the machine itself, under all its names, of its neighbours and of the metadata service of its cloud. A listener of the
// test is at the port; it must not be reached.
func Inside(port string) []string {
	var out []string
	for _, host := range []string{
		"127.0.0.1", "localhost", "LOCALHOST.", "[::1]", "[::ffff:127.0.0.1]", "[::ffff:7f00:1]", "0.0.0.0", "[::]",
		"127.1", "2130706433", "0x7f000001", "0177.0.0.1", "127.0.0.1.", "[64:ff9b::7f00:1]", "127.0.0.2",
		"10.0.0.1", "172.16.0.1", "192.168.0.1", "169.254.169.254", "100.100.100.200", "168.63.129.16", "[fe80::1]", "[fd00:ec2::254]",
	} {
		out = append(out, "http://"+host+":"+port+"/cat.png")
	}
	return append(out, "http://169.254.169.254/latest/meta-data/iam/security-credentials/", "https://127.0.0.1:"+port+"/cat.png")
}
