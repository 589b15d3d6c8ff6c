import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fastagent.redaction import Redactor, without_secrets

SECRETS = {
    "url password": ("connecting to postgresql://web:s3cr3t-w0rd@db:5432/shop", "s3cr3t-w0rd"),
    "url password with an at sign": ("amqp://user:p@ss@word@mq/vhost", "p@ss@word"),
    "url without a user": ("redis://:onlypassword@cache:6379/0", "onlypassword"),
    "assignment": ("DB_PASSWORD=tops3cret rest", "tops3cret"),
    "quoted": ('{"password": "with space in it", "user": "x"}', "with space in it"),
    "yaml": ("client_secret: abcDEF123", "abcDEF123"),
    "single quotes": ("api_key='k-12345-xyz'", "k-12345-xyz"),
    "bearer": ("Authorization: Bearer abcdefghijklmnop123456", "abcdefghijklmnop123456"),
    "basic": ("authorization: Basic dXNlcjpwYXNzd29yZA==", "dXNlcjpwYXNzd29yZA=="),
    "json header": ('"Authorization":"Bearer abc.def-ghi_jkl~mno"', "abc.def-ghi_jkl~mno"),
    "jwt": ("token eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.abcDEF-_123 used", "eyJzdWIiOiIxMjM0In0"),
    "aws": ("key AKIAIOSFODNN7EXAMPLE in env", "AKIAIOSFODNN7EXAMPLE"),
    "aws secret": ("aws_secret_access_key = wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY", "wJalrXUtnFEMI/K7MDENG"),
    "github": ("remote: ghp_" + "a1B2" * 9, "a1B2a1B2"),
    "gitlab": ("glpat-abcdefghijklmnop1234", "abcdefghijklmnop1234"),
    "slack": ("xoxb-123456789012-abcdefghijkl", "abcdefghijkl"),
    "stripe": ("sk_live_4eC39HqLyjWDarjtT1zdp7dc", "4eC39HqLyjWDarjtT1zdp7dc"),
    "openai": ("sk-proj-abcdefghijklmnopqrstuvwx", "abcdefghijklmnopqrstuvwx"),
    "private key": ("-----BEGIN RSA PRIVATE KEY-----\nMIIEow\n-----END RSA PRIVATE KEY-----", "MIIEow"),
    "cut private key": ("-----BEGIN PRIVATE KEY-----\nMIIEvQIBADANBg", "MIIEvQIBADANBg"),
    "cookie": ("Cookie: session=abcdef0123456789", "abcdef0123456789"),
    "url password with an angle": ("postgres://u:Sec<ret123@db/x", "Sec<ret123"),
    "url password with a slash": ("redis://:pa/ssw0rd@h:6379", "pa/ssw0rd"),
    "secret key": ("SECRET_KEY=abc123def456", "abc123def456"),
    "vendor's secret key": ("STRIPE_SECRET_KEY=whsec9876543", "whsec9876543"),
    "encryption key": ("ENCRYPTION_KEY: 0123456789abcdef", "0123456789abcdef"),
    "plain token": ("token=abcdef123456", "abcdef123456"),
    "token in a query": ("GET /x?token=abcdef123456&a=1", "abcdef123456"),
    "token in json": ('{"token":"abcdef123456"}', "abcdef123456"),
    "short name": ("DB_PASS=hunter2hunter2", "hunter2hunter2"),
    "option": ("mysql --password hunter2hunter2 -h db", "hunter2hunter2"),
    "vault header": ("X-Vault-Token: s.abcdef123456", "s.abcdef123456"),
    "aws header": ("x-amz-security-token=FwoGZXIvYXdz", "FwoGZXIvYXdz"),
    "angle in the middle": ("password=abc<defghij", "defghij"),
    "bracket in the middle": ("password=abc)def123", "def123"),
    "second cookie": ("Cookie: a=0123456789; session=abcdef0123", "abcdef0123"),
    "card": ("paid with 4111 1111 1111 1111", "4111 1111 1111 1111"),
    "ssn": ("ssn 078-05-1120", "078-05-1120"),
}
ORDINARY = (
    "monkey=7 keyspace: hits=12 tokens: 4096 used, keys=12",
    "the password is <required>, use $DB_PASSWORD",
    "std::vector at 12:30:45 of 2026",
    "password authentication failed for user checkout",
    "token expired after 3600 seconds",
    "GET /api/keys?limit=10 200 12ms",
    "2026-12-01 09:19:26.101 UTC [11653] LOG:  listening on IPv4 address, port 5432",
    "version 1.2.3.4.5 of the secret service started",
    "commit 4f0c1d2e3a4b5c6d7e8f90123456789abcdef012 deployed",
    "password: null, secret: <none>",
)


@pytest.mark.parametrize(("text", "secret"), SECRETS.values(), ids=SECRETS.keys())
def test_a_secret_is_hidden_and_never_comes_back(text: str, secret: str) -> None:
    redactor = Redactor()
    hidden = redactor.redact(text)
    assert secret not in hidden
    assert secret not in redactor.restore(hidden)
    assert secret not in repr(redactor.snapshot())


@pytest.mark.parametrize("text", ORDINARY)
def test_ordinary_lines_stay_as_they_are(text: str) -> None:
    assert Redactor().redact(text) == text


def test_addresses_and_mail_addresses_are_hidden_and_restored() -> None:
    redactor = Redactor()
    hidden = redactor.redact("10.1.2.3 and ann@example.com and 10.1.2.3 but not 127.0.0.1")
    assert hidden == "<ip#1> and <email#1> and <ip#1> but not 127.0.0.1"
    assert redactor.restore(hidden) == "10.1.2.3 and ann@example.com and 10.1.2.3 but not 127.0.0.1"


def test_a_resumed_redactor_goes_on_numbering_and_still_restores() -> None:
    first = Redactor()
    first.redact("10.1.2.3 password=abcdef")
    second = Redactor.resume(first.snapshot())
    assert second.redact("10.1.2.3 10.9.9.9 password=ghijkl") == "<ip#1> <ip#2> password=<secret#2>"
    assert second.restore("<ip#1>") == "10.1.2.3"


def test_all_of_a_value_is_redacted_keys_too() -> None:
    hidden = Redactor().redact_all({"psql postgres://a:topsecret@db": ["password=topsecret", 7, None]})
    assert "topsecret" not in repr(hidden)
    assert hidden[next(iter(hidden))][1:] == [7, None]


def test_a_quote_is_cut_to_its_longest_piece_without_a_secret() -> None:
    assert without_secrets("login <secret#1> failed for good") == "failed for good"
    assert without_secrets("from <ip#1> and on") == "from <ip#1> and on"


@given(st.text(max_size=300))
def test_redacting_twice_changes_nothing_more(text: str) -> None:
    redactor = Redactor()
    once = redactor.redact(text)
    assert redactor.redact(once) == once


@pytest.mark.parametrize(
    "line",
    ["password=" * 20_000, "://" * 60_000, "a" * 200_000, "eyJ" * 60_000, "1." * 90_000, "x@" * 90_000, '"' * 200_000,
     "-----BEGIN PRIVATE KEY-----" * 6_000, "secret: '" * 20_000, "cookie=" * 30_000, "4111 " * 40_000, "a:b@" * 40_000],
)  # fmt: skip
def test_hostile_lines_take_no_long_time(line: str) -> None:
    began = time.process_time()
    Redactor().redact(line)
    assert time.process_time() - began < 10  # quadratic takes minutes here


@pytest.mark.parametrize("name", ["password", "api_key", "DB_PASS", "X-Vault-Token", "clientSecret", "secret"])
def test_what_is_called_like_a_secret_is_one_whatever_it_looks_like(name: str) -> None:
    hidden = Redactor().redact_all({"labels": {name: "hunter2hunter2", "service": "web"}, "n": 1})
    assert "hunter2" not in repr(hidden)
    assert hidden["labels"]["service"] == "web"


def test_addresses_of_the_sixth_version_are_hidden_and_restored() -> None:
    redactor = Redactor()
    for address in ("2001:db8::7", "fe80::1", "2001:db8:0:0:0:0:0:7"):
        hidden = redactor.redact(f"from {address} port 9")
        assert address not in hidden
        assert redactor.restore(hidden) == f"from {address} port 9"
