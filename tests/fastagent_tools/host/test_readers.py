"""Synthetic outputs of host commands, read through the tool that the model calls: one that shows a fault, one that is well."""

from pathlib import Path

import pytest

from fastagent import Observation
from tests.fastagent_tools.looking import bundle, look

UNIT = """● orders.service - Orders
     Loaded: loaded (/etc/systemd/system/orders.service; enabled)
     Active: {state}
    Process: 811 ExecStart=/opt/orders (code=exited, status=203/EXEC)
   Main PID: 811 (code=exited, status=203/EXEC)
"""
UNITS = """  UNIT            LOAD   ACTIVE SUB     DESCRIPTION
  cron.service    loaded active running Regular jobs
{mark} orders.service  loaded {state} Orders
"""
DMESG = """[  90.1] memory: usage 65536kB, limit 65536kB, failcnt 22
[  90.2] oom-kill:constraint=CONSTRAINT_MEMCG,nodemask=(null),oom_memcg=/shop,task_memcg=/shop/orders,task=orders,pid=77,uid=0
[  90.3] Memory cgroup out of memory: Killed process 77 (orders) total-vm:99000kB, anon-rss:64000kB, file-rss:1kB
"""
FREE = """              total        used        free      shared  buff/cache   available
Mem:           7900        {used}         100         10         300         {left}
Swap:          2047           0        2047
"""
SS = """State  Recv-Q Send-Q Local Address:Port Peer Address:Port Process
LISTEN {waiting}    128    0.0.0.0:8080      0.0.0.0:*         users:(("orders",pid=7,fd=3))
"""
TOP = """top - 10:00:00 up 1 day, load average: 8.10, 7.00, 5.00
%Cpu(s): {cpu}
  PID USER  PR NI VIRT RES SHR S  %CPU  %MEM   TIME+ COMMAND
   77 app   20  0 900m 90m  1m R  {busy}   3.0  9:00.00 reporter --all
   78 app   20  0 100m 10m  1m S   1.0   0.5  0:01.00 orders
"""
CERTIFICATE = """subject=CN = {name}
notBefore=Jan  1 00:00:00 2026 GMT
notAfter={end} GMT
X509v3 Subject Alternative Name:
    DNS:{name}
"""
CHRONY = """Reference ID    : 00000000 ()
System time     : {apart} seconds slow of NTP time
Leap status     : {leap}
"""
DIG = """;; ->>HEADER<<- opcode: QUERY, status: {status}, id: 1
;; flags: qr rd ra; QUERY: 1, ANSWER: {answers}, AUTHORITY: 1, ADDITIONAL: 0
;; QUESTION SECTION:
;db.shop.internal.  IN A
"""
REDIS = """# Memory
used_memory:{used}
used_memory_human:99M
maxmemory:104857600
maxmemory_human:100M
maxmemory_policy:{policy}
"""
CASES = [
    ("systemctl status orders", UNIT, {"state": "failed (Result: exit-code) since Mon"}, {"state": "active (running) since Mon"}, "host.unit.failed", "203/EXEC"),
    ("systemctl list-units", UNITS, {"mark": "●", "state": "failed failed"}, {"mark": " ", "state": "active running"}, "host.unit.failed", "orders.service"),
    ("free -m", FREE, {"used": "7800", "left": "120"}, {"used": "2000", "left": "5500"}, "host.memory.scarce", "120 of 7900"),
    ("ss -ltnp", SS, {"waiting": "129"}, {"waiting": "0"}, "host.socket.backlog", "129 connections"),
    ("top -bn1", TOP, {"cpu": "97.0 us, 2.0 sy, 0.0 ni, 1.0 id, 0.0 wa, 0.0 st", "busy": "385.0"}, {"cpu": "5.0 us, 1.0 sy, 0.0 ni, 94.0 id, 0.0 wa, 0.0 st", "busy": "4.0"}, "host.process.cpu", "reporter"),
    ("openssl s_client -connect pay.shop.test:443", CERTIFICATE, {"name": "pay.shop.test", "end": "Feb 20 00:00:00 2026"}, {"name": "pay.shop.test", "end": "Feb 20 00:00:00 2027"}, "host.certificate.expired", "Feb 20 00:00:00 2026"),
    ("openssl s_client -servername pay.shop.test", CERTIFICATE, {"name": "old.shop.test", "end": "Feb 20 00:00:00 2027"}, {"name": "*.shop.test", "end": "Feb 20 00:00:00 2027"}, "host.certificate.name_mismatch", "old.shop.test"),
    ("chronyc tracking", CHRONY, {"apart": "42.5", "leap": "Not synchronised"}, {"apart": "0.0001", "leap": "Normal"}, "host.clock.off", "42.5 s slow"),
    ("dig db.shop.internal", DIG, {"status": "NXDOMAIN", "answers": "0"}, {"status": "NOERROR", "answers": "1"}, "host.dns.nxdomain", "db.shop.internal"),
    ("redis-cli info memory", REDIS, {"used": "104857000", "policy": "noeviction"}, {"used": "1048570", "policy": "noeviction"}, "redis.memory", "writes are refused"),
    ("cat /sys/fs/cgroup/orders/memory.events", "low 0\nhigh 0\nmax {n}\noom {n}\noom_kill {n}\n", {"n": "3"}, {"n": "0"}, "host.oom.cgroup", "3 processes"),
    ("curl -v http://orders:8080/health", "* Trying 10.0.0.1\n{end}\n", {"end": "curl: (7) Failed to connect to orders port 8080: Connection refused"}, {"end": "< HTTP/1.1 200 OK"}, "host.http.refused", "orders:8080"),
    ("curl -i http://orders:8080/", "HTTP/1.1 {status}\nserver: x\n", {"status": "503 Service Unavailable"}, {"status": "200 OK"}, "host.http.server_error", "503"),
    ("nginx -t", "nginx: {end}\nnginx: configuration file /etc/nginx/nginx.conf test {result}\n", {"end": "[emerg] unknown directive \"lisen\" in /etc/nginx/nginx.conf:3", "result": "failed"}, {"end": "the configuration file /etc/nginx/nginx.conf syntax is ok", "result": "is successful"}, "host.nginx.config", "lisen"),
    ("cat /proc/sys/fs/file-nr", "{used}\t0\t1000\n", {"used": "999"}, {"used": "20"}, "host.files.exhausted", "999 of 1000"),
]  # fmt: skip


async def read(root: Path, outputs: dict[str, str], command: str) -> Observation:
    incident = {"incident.json": '{"title": "x", "started_at": "2026-03-01T00:00:00Z"}'}
    seen = await look(bundle(root, incident, outputs), "read_command", command=command)
    for finding in seen.findings:
        assert finding.quote, finding
        assert finding.quote in outputs[command]
        assert finding.reason
    return seen


@pytest.mark.parametrize(
    ("command", "text", "broken", "well", "kind", "words"),
    CASES,
    ids=lambda v: v if isinstance(v, str) and "." in v and " " not in v else "",
)
async def test_a_fault_is_found_by_its_kind_and_its_absence_alarms_nobody(
    tmp_path: Path, command: str, text: str, broken: dict[str, str], well: dict[str, str], kind: str, words: str
) -> None:
    seen = await read(tmp_path, {command: text.format(**broken)}, command)
    found = {f.kind: f for f in reversed(seen.findings)}
    assert words in found[kind].statement
    assert found[kind].severity != "info"
    seen = await read(tmp_path, {command: text.format(**well)}, command)
    assert [f for f in seen.findings if f.severity != "info"] == []


async def test_an_out_of_memory_kill_names_victim_cgroup_and_limit(tmp_path: Path) -> None:
    seen = await read(tmp_path, {"dmesg": DMESG}, "dmesg")
    first = seen.findings[0]
    assert first.kind == "host.oom.killed"
    assert first.entity == "orders"
    for part in ("62 MiB", "/shop/orders", "64 MiB"):
        assert part in first.statement


async def test_open_files_are_held_against_a_limit_from_another_output(tmp_path: Path) -> None:
    command = "ls /proc/7/fd | wc -l"
    limits = "Limit                     Soft Limit           Hard Limit           Units\nMax open files            1024                 4096                 files\n"
    seen = await read(tmp_path, {command: "1020\n", "cat /proc/7/limits": limits}, command)
    assert "1020 of 1024" in seen.findings[0].statement


async def test_many_connections_that_nobody_closes_are_a_leak(tmp_path: Path) -> None:
    row = 'CLOSE-WAIT 1 0 10.0.0.1:{} 10.0.0.9:5432 users:(("orders",pid=7,fd=9))\n'
    text = "State Recv-Q Send-Q Local Address:Port Peer Address:Port Process\n" + "".join(
        row.format(40_000 + n) for n in range(80)
    )
    seen = await read(tmp_path, {"ss -tanp": text}, "ss -tanp")
    assert seen.findings[0].kind == "host.socket.closewait"
    assert "80 connections of orders" in seen.findings[0].statement
