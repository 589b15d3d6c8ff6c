"""Whose keys fill a Redis, from several commands together."""

from fastagent.state import Finding
from fastagent_tools.commands.reader import Output
from fastagent_tools.databases.redis_keys import REDIS_KEYS

OUTPUTS = {
    "redis-cli --scan --pattern 'sess:*' | wc -l": "12000\n",
    "redis-cli --scan --pattern 'reco:*' | wc -l": "5323\n",
    "redis-cli MEMORY USAGE sess:7": "64\n",
    "redis-cli MEMORY USAGE reco:7": "(integer) 4144\n",
    "redis-cli TTL sess:7": "840\n",
    "redis-cli TTL reco:7": "-1\n",
    "redis-cli CLIENT LIST": "id=1 name=recs-builder cmd=set\nid=2 name=session-store cmd=get\n",
}


def read(command: str, **changed: str) -> list[Finding]:
    outputs = OUTPUTS | changed
    return REDIS_KEYS.read(Output(command, outputs[command], {k: v for k, v in outputs.items() if k != command}))


def test_many_small_keys_weigh_less_than_fewer_large_ones() -> None:
    (finding,) = read("redis-cli --scan --pattern 'reco:*' | wc -l")
    assert (finding.entity, finding.kind, finding.severity) == ("recs-builder", "redis.keys.holder", "error")
    assert "never expire" in finding.statement
    assert read("redis-cli --scan --pattern 'sess:*' | wc -l") == []


def test_keys_that_expire_are_a_warning() -> None:
    (finding,) = read("redis-cli --scan --pattern 'reco:*' | wc -l", **{"redis-cli TTL reco:7": "99\n"})
    assert finding.severity == "warning"


def test_where_two_clients_are_called_alike_the_keys_are_named_and_nobody_else() -> None:
    clients = {"redis-cli CLIENT LIST": "name=recs-builder\nname=recs-reader\n"}
    (finding,) = read("redis-cli --scan --pattern 'reco:*' | wc -l", **clients)
    assert finding.entity == "reco"


def test_what_was_not_counted_says_nothing() -> None:
    assert read("redis-cli --scan --pattern 'reco:*' | wc -l", **{"redis-cli MEMORY USAGE reco:7": "(nil)\n"}) == []
