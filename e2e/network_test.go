package e2e

import (
	"fmt"
	"os"
	"os/exec"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"xbot/internal/chat"
)

// cutFor is how long the network is away: as long as either end takes to give the other up.
const cutFor = 60 * time.Second

// network is a machine of its own, as far as the network goes: a namespace with one cable to this one.
type network struct {
	t    *testing.T
	name string // of the namespace
	here string // name of our end of the cable
	addr string // our address as seen from there
}

// newNetwork needs root and iproute2. Without them the test is skipped, loudly.
func newNetwork(t *testing.T) *network {
	t.Helper()
	if _, err := exec.LookPath("ip"); err != nil || os.Geteuid() != 0 {
		t.Skip("SKIPPED, NOT TESTED: the network between runner and server can be cut only by root with iproute2 (apt-get install iproute2)")
	}
	id := os.Getpid() % 65536
	n := &network{t: t, name: fmt.Sprintf("xbot-%d", id), here: fmt.Sprintf("xb%da", id), addr: fmt.Sprintf("10.213.%d.%d", id/256, id%256/4*4+1)}
	there, far := fmt.Sprintf("xb%db", id), fmt.Sprintf("10.213.%d.%d", id/256, id%256/4*4+2)
	if out, err := exec.Command("ip", "netns", "add", n.name).CombinedOutput(); err != nil {
		t.Skipf("SKIPPED, NOT TESTED: this system gives no network namespaces: %s", out)
	}
	t.Cleanup(func() { n.ip("netns", "del", n.name) })
	n.ip("link", "add", n.here, "type", "veth", "peer", "name", there, "netns", n.name)
	n.ip("addr", "add", n.addr+"/30", "dev", n.here)
	n.ip("link", "set", n.here, "up")
	n.ip("-n", n.name, "addr", "add", far+"/30", "dev", there)
	n.ip("-n", n.name, "link", "set", there, "up")
	n.ip("-n", n.name, "link", "set", "lo", "up")
	return n
}

func (n *network) ip(args ...string) {
	n.t.Helper()
	out, err := exec.Command("ip", args...).CombinedOutput()
	require.NoError(n.t, err, "ip %v: %s", args, out)
}

func TestRemote07_NetworkCutForAMinute(t *testing.T) {
	t.Parallel()
	net := newNetwork(t)
	k := newServer(t, "XBOT_ALLOWED_HOSTS="+net.addr).newTalk()
	way := newBalancer(t, net.addr+":0", k.address())
	r := k.newRemote("laptop", way.address())
	r.process.via = []string{"ip", "netns", "exec", net.name}
	r.up()
	id := k.send(k.count(300), "say done")
	k.untilCounting(10)
	net.ip("link", "set", net.here, "down")
	mend := time.NewTimer(cutFor)
	k.untilCounting(300) // the command neither sees nor needs the network
	<-mend.C
	net.ip("link", "set", net.here, "up")
	mended := time.Now()
	require.Equal(t, chat.TurnDone, k.recovered("network cut for 60 s in a command of 30 s", mended, id).State)
	k.counted(300)
	require.Equal(t, []string{"done"}, k.answers())
}
