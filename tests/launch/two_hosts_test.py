"""two_hosts_test.py RANKS ORDERCHECK ROOT: two hosts, as two network namespaces with a link between them, which is then cut."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import unittest
from pathlib import Path

from launcher import LaunchTest, by_hand, free_port, row_of

LONG = "fsdp=2 arithmetic=plain steps=1000"
HOSTS = ("10.211.77.1", "10.211.77.2")


class TwoHosts(LaunchTest):
    def setUp(self) -> None:
        super().setUp()
        if not shutil.which("ip"):
            self.skipTest("no ip; Debian has it in iproute2")
        self.names = [f"ordercheck-{os.getpid()}-{host}" for host in (0, 1)]
        for name in self.names:
            made = subprocess.run(["ip", "netns", "add", name], capture_output=True, text=True)
            if made.returncode != 0:
                self.skipTest(f"no network namespace can be made here: {made.stderr.strip()}")
            self.addCleanup(subprocess.run, ["ip", "netns", "del", name], check=True)
        ends = [["name", "wire", "netns", name] for name in self.names]
        self.ip("link", "add", *ends[0], "type", "veth", "peer", *ends[1])
        for name, address in zip(self.names, HOSTS, strict=True):
            self.ip("-n", name, "address", "add", f"{address}/24", "dev", "wire")
            for device in ("lo", "wire"):
                self.ip("-n", name, "link", "set", device, "up")

    def ip(self, *arguments: str) -> None:
        subprocess.run(["ip", *arguments], check=True)

    def launch(self, case: str, timeout: int) -> list[subprocess.Popen[bytes]]:
        port, command = free_port(), self.arguments(case, timeout=timeout)
        return [
            self.start(["ip", "netns", "exec", name, *command], by_hand(rank, 2, port, HOSTS[0]), str(rank))
            for rank, name in enumerate(self.names)
        ]

    def test_two_hosts_show_what_one_rank_shows(self) -> None:
        self.assertEqual([self.code_of(one) for one in self.launch("fsdp=2", 60)], [0, 0], self.errors("0"))
        self.assertEqual(row_of(self.record, "fsdp=2")["verdict"], "equal")
        self.assertEqual(self.out("1"), "")

    def test_a_link_that_is_cut_ends_the_world_on_both_hosts(self) -> None:
        ranks = self.launch(LONG, 30)
        self.await_steps(ranks[0].pid, 0)
        self.ip("-n", self.names[1], "link", "set", "wire", "down")
        self.assertEqual([self.code_of(one) for one in ranks], [3, 3], self.errors("0") + self.errors("1"))
        lost = row_of(self.record, LONG)
        # The network is to blame, which says nothing of the stack.
        self.assertEqual((lost["verdict"], lost["ending"]), ("unrun", "killed"))
        self.assertIn("rank 1 has not been heard of for 3 s when the time was up", lost["message"])
        (line,) = self.errors("1").splitlines()
        self.assertTrue(line.startswith("ordercheck-ranks: rank 1: "), line)

    def test_a_name_that_only_one_host_reaches_is_refused(self) -> None:
        port, command = free_port(), self.arguments("fsdp=2", timeout=30)
        # As where a host's own name stands for its loopback in /etc/hosts.
        ranks = [
            self.start(["ip", "netns", "exec", name, *command], by_hand(rank, 2, port, master), str(rank))
            for rank, (name, master) in enumerate(zip(self.names, ("127.0.0.1", HOSTS[0]), strict=True))
        ]
        self.assertEqual([self.code_of(one) for one in ranks], [3, 3])
        for rank in ("0", "1"):
            self.assertIn("cannot be reached from another host; set MASTER_ADDR", self.errors(rank))


if __name__ == "__main__":
    TwoHosts.ranks_program, TwoHosts.ordercheck, TwoHosts.root = map(Path, sys.argv[1:4])
    unittest.main(argv=[sys.argv[0], *sys.argv[4:]], verbosity=2)
