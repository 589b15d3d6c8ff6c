"""What may be run on a live system reads, whatever a model asks for."""

import pytest

from fastagent.allowlist import RULES, checked
from fastagent.errors import ToolError
from fastagent.live import SUGGESTED


@pytest.mark.parametrize("command", SUGGESTED)
def test_what_is_suggested_is_allowed(command: str) -> None:
    assert checked(command) == command.split()


@pytest.mark.parametrize(
    "command",
    [
        "kubectl get pods -n shop -o wide", "kubectl describe pod cart-1 --namespace=shop", "kubectl logs cart-1 -c app --previous --tail 200",
        "kubectl get deployment/cart -o yaml", "kubectl top pods -A", "systemctl status nginx.service --no-pager", "journalctl -u nginx -n 50",
        "docker logs --tail 100 web", "df -h /var/lib", "redis-cli -p 6380 info memory", "redis-cli config get maxmemory", "dig +short db.internal",
        "git log --oneline -n 20", "uptime", "timedatectl",
    ],
)  # fmt: skip
def test_reading_is_allowed(command: str) -> None:
    assert checked(command)


@pytest.mark.parametrize(
    "command",
    [
        "kubectl delete pod cart-1", "kubectl get secrets -o yaml", "kubectl get secret/db -o json", "kubectl get pods,secrets -o yaml", "kubectl get all",
        "kubectl describe secret db", "kubectl exec cart-1 -- sh", "kubectl get pods -o jsonpath={.items}", "kubectl get --raw /api", "kubectl logs -f cart-1",
        "kubectl apply -f x.yaml", "kubectl --kubeconfig=/tmp/x get pods", "kubectl get pods --as=admin", "kubectl get pods -w", "kubectl config view --raw",
        "systemctl restart nginx", "systemctl stop nginx --no-pager", "journalctl --vacuum-size=1", "journalctl -f", "docker exec web sh", "docker rm web",
        "docker inspect --format={{.Config.Env}} web", "dmesg -C", "dmesg --clear", "redis-cli flushall", "redis-cli config set maxmemory 1",
        "redis-cli config get requirepass", "redis-cli -a secret info", "redis-cli eval x 0", "rm -rf /", "bash -c id", "sh", "cat /etc/shadow", "curl http://x",
        "git push", "git log --output=/tmp/x", "git -C / log", "git show HEAD:secret", "df -h; rm x", "df $(id)", "df -h | sh", "df `id`", "ps aux && id",
        "top", "ss -K", "vmstat 1 999999", "dig -f /etc/passwd", "dig @1.1.1.1 -p 80 x", "/usr/bin/kubectl get pods", "./df", "", "   ", "kubectl", "'unclosed",
        "kubectl get Secret", "kubectl get secrets.v1. -A", "kubectl get pods -n --all-namespaces", "kubectl get pods -n -A",
    ],
)  # fmt: skip
def test_whatever_does_more_than_reading_or_reads_secrets_is_not(command: str) -> None:
    with pytest.raises(ToolError):
        checked(command)


@pytest.mark.parametrize("program", RULES)
@pytest.mark.parametrize("more", ["; id", "--unheard-of", "-o/tmp/x", "$HOME", "../..", "\x00", "--=x"])
def test_a_flag_that_nobody_thought_about_is_refused(program: str, more: str) -> None:
    with pytest.raises(ToolError):
        checked(f"{program} {more}")
