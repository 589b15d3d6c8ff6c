"""The agent against servers that behave, fail, lie and stall; time is virtual unless the matter is real time."""

import asyncio
from pathlib import Path
from typing import Any

import httpx2
import pytest
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.checkpoint.sqlite.aio import AsyncSqliteSaver

from fastagent import Agent, Budget, Incident, Observation, Report, tool
from fastagent.backend import remote
from fastagent.errors import InputError
from fastagent.event import Finished, ToolStarted, TurnStarted
from fastagent.report.jsonfile import render
from fastagent.state import Finding
from fastagent.testing import run_virtual
from fastagent.toolbox import withheld
from tests.fastagent.scripted import (
    CLAIM,
    PLAN,
    QUOTE,
    TOOLS,
    Bytes,
    Server,
    allowed,
    assessment,
    diagnosis,
    event,
    look_around,
    read_disk,
    response,
    says,
    sensible,
    spoken,
)  # fmt: skip

INCIDENT = Incident("orders fail")
SLA_S = 10.0


async def investigated(server: Server, tools: Any = TOOLS, sla_s: float = SLA_S, **more: Any) -> Report:
    agent = Agent(tools, playbooks=(), endpoint=server.endpoint(), **more)
    return await agent.investigate(INCIDENT, Budget(total_s=sla_s))


def in_order(*calls: Any) -> Server:
    """A server that submits these, turn by turn: plan first."""
    return Server(says(("submit_plan", PLAN)), *(says(*c) if isinstance(c, list) else says(c) for c in calls))


@pytest.mark.virtual
async def test_a_sensible_model_gives_a_complete_and_grounded_report() -> None:
    server = Server(sensible)
    report = await investigated(server)
    assert report.status == "complete"
    assert report.root_cause is not None
    assert (report.root_cause.component, report.root_cause.verdict) == ("db-1", "LIKELY")  # one quote does not confirm
    assert [e.quote for e in report.evidence] == [QUOTE]
    assert [t["node"] for t in report.timing["turns"]] == ["plan", "act", "observe", "verify", "conclude"]


@pytest.mark.virtual
async def test_the_tool_list_and_the_prompts_head_never_change() -> None:
    server = Server(sensible)
    await investigated(server)
    assert len({repr(b["tools"]) for b in server.bodies}) == 1
    for earlier, later in zip(server.bodies, server.bodies[1:], strict=False):
        assert later["input"][: len(earlier["input"])] == earlier["input"]


REFUSAL = httpx2.ConnectError("connection refused")
FAILURES: dict[str, Any] = {
    "refused": lambda _: REFUSAL,
    "500": lambda _: httpx2.Response(500, json={"error": {"message": "boom"}}),
    "429 for 300 s": lambda _: httpx2.Response(
        429, headers={"retry-after": "300"}, json={"error": {"message": "slow"}}
    ),
    "401": lambda _: httpx2.Response(401, json={"error": {"message": "who are you?"}}),
    "html": lambda _: httpx2.Response(200, headers={"content-type": "text/html"}, content=b"<html>hello</html>"),
    "garbage": lambda _: response([b"data: {not json\n\n"]),
    "wrong shapes": lambda _: response(
        [event("response.output_item.done", item=[1]), event("response.completed", response=7)]
    ),
    "cut": lambda _: response(spoken(("submit_plan", PLAN))[:-1]),
    "error event": lambda _: response([event("error", error={"message": "overloaded"})]),
    "stall": lambda _: response([event("response.created", response={}), 1e6]),
    "broken pipe": lambda _: response([event("response.created", response={}), httpx2.ReadError("gone")]),
    "endless event": lambda _: response([b"data: " + b"x" * 20_000_000]),
}


@pytest.mark.virtual
@pytest.mark.parametrize("failure", FAILURES.values(), ids=FAILURES.keys())
async def test_whatever_the_endpoint_does_the_answer_comes_before_the_deadline(failure: Any) -> None:
    report = await investigated(Server(failure))
    assert report.status == "partial"
    assert report.notes
    assert report.timing["overrun_s"] == 0.0
    assert report.timing["wall_s"] <= SLA_S
    assert report.root_cause is not None
    assert (report.root_cause.component, report.root_cause.verdict) == (
        "db-1",
        "INCONCLUSIVE",
    )  # the tools still saw it
    assert report.evidence[0].quote == QUOTE
    assert not [t for t in asyncio.all_tasks() if t is not asyncio.current_task()]


@pytest.mark.virtual
async def test_two_failures_and_then_an_answer_cost_a_retry_and_no_more() -> None:
    server = Server(FAILURES["500"], FAILURES["refused"], sensible)
    report = await investigated(server)
    assert report.status == "complete"
    assert report.timing["by_kind"]["retry_sleep"] > 0.1
    assert sum("trying again" in note for note in report.notes) == 0  # a retry that helped is an event, not a worry
    assert len(server.bodies) == 7  # no retry but ours


@pytest.mark.virtual
async def test_what_is_refused_is_not_asked_again() -> None:
    server = Server(FAILURES["401"])
    await investigated(server)
    assert len(server.bodies) == 1


@pytest.mark.virtual
async def test_a_slow_tool_is_cut_off_and_the_answer_still_fits() -> None:
    @tool(expect_s=0.1)
    async def sleepy() -> str:
        """Sleeps."""
        await asyncio.sleep(3_600)
        return "never"

    def model(body: dict[str, Any]) -> httpx2.Response:
        return response(spoken(("sleepy", {}))) if "sleepy" in allowed(body) else sensible(body)

    report = await investigated(Server(model), [*TOOLS, sleepy])
    assert report.timing["overrun_s"] == 0.0
    assert report.root_cause is not None
    assert report.root_cause.component == "db-1"


@pytest.mark.virtual
async def test_a_read_starts_while_the_model_still_streams() -> None:
    first, *rest = spoken(("read_disk", {}), ("read_disk", {"again": 1}))
    slow = [first, *rest[:2], 2.0, *rest[2:]]
    server = in_order([])
    server.replies = (says(("submit_plan", PLAN)), lambda _: response(slow), sensible)
    events = [
        e async for e in Agent(TOOLS, playbooks=(), endpoint=server.endpoint()).stream(INCIDENT, Budget(total_s=20))
    ]
    started = [e for e in events if isinstance(e, ToolStarted)]
    assert started[0].overlapped
    assert isinstance(events[-1], Finished)


@pytest.mark.virtual
async def test_an_invented_quote_is_dropped_and_said_so() -> None:
    lie = {**CLAIM, "quote": "ERROR payments did it"}
    server = in_order(("read_disk", {}), ("submit_assessment", assessment(lie)), ("submit_assessment", assessment()),
                      ("submit_diagnosis", diagnosis()))  # fmt: skip
    report = await investigated(server)
    assert report.evidence == ()
    assert report.root_cause is not None
    assert report.root_cause.verdict == "INCONCLUSIVE"  # a confident diagnosis without a quote is worth nothing
    assert any("dropped" in note for note in report.notes)


@pytest.mark.virtual
async def test_a_belief_is_worth_the_share_of_its_quotes_that_stand() -> None:
    lie = {**CLAIM, "quote": "ERROR payments did it"}
    server = in_order(("read_disk", {}), ("submit_assessment", assessment(CLAIM, lie)), ("submit_assessment", assessment()),
                      ("submit_diagnosis", diagnosis()))  # fmt: skip
    report = await investigated(server)
    honest = await investigated(in_order(("read_disk", {}), ("submit_assessment", assessment(CLAIM)),
                      ("submit_assessment", assessment()), ("submit_diagnosis", diagnosis())))  # fmt: skip
    assert report.root_cause is not None
    assert honest.root_cause is not None
    assert report.root_cause.confidence == pytest.approx(honest.root_cause.confidence / 2)
    assert report.hypotheses[0].belief == pytest.approx(honest.hypotheses[0].belief / 2)


@pytest.mark.virtual
async def test_an_entity_that_nobody_has_seen_is_not_blamed() -> None:
    server = in_order(("read_disk", {}), ("submit_assessment", assessment(CLAIM)), ("submit_assessment", assessment()),
                      ("submit_diagnosis", diagnosis("payments")))  # fmt: skip
    report = await investigated(server)
    assert report.root_cause is not None
    assert report.root_cause.component == ""
    assert "payments" not in [c.component for c in report.ranking]
    assert any("payments" in note for note in report.notes)


@pytest.mark.virtual
async def test_a_bad_submission_is_repaired_once() -> None:
    server = Server(says(("submit_plan", {"hypotheses": "none"})), sensible)
    report = await investigated(server)
    assert report.status == "complete"
    wrong = [i for i in server.bodies[1]["input"] if i["type"] == "function_call_output"]
    assert "submit_plan: " in wrong[0]["output"]


@pytest.mark.virtual
async def test_a_model_that_never_concludes_ends_at_its_limits() -> None:
    def restless(body: dict[str, Any]) -> httpx2.Response:
        if allowed(body) == ["submit_assessment"]:
            return response(spoken(("submit_assessment", assessment(CLAIM, then="continue"))))
        return sensible(body)

    report = await investigated(Server(restless), sla_s=1_000)
    assert report.root_cause is not None
    assert report.usage["model_calls"] <= Budget().turns


@pytest.mark.virtual
async def test_calls_of_tools_that_do_not_exist_or_are_not_allowed_now_do_nothing() -> None:
    def wild(body: dict[str, Any]) -> httpx2.Response:
        if "read_disk" in allowed(body):
            return response(
                spoken(("rm_rf", {"path": "/"}), ("submit_diagnosis", diagnosis()), ("read_disk", "{broken"))
            )
        return sensible(body)

    server = Server(wild)
    report = await investigated(server)
    outputs = [i["output"] for i in server.bodies[-1]["input"] if i["type"] == "function_call_output"]
    assert sum("not available in this turn" in o for o in outputs) == 2
    assert any("not JSON" in o for o in outputs)
    assert report.status == "complete"


@pytest.mark.virtual
async def test_stopping_gives_the_answer_so_far() -> None:
    server = Server(says(("submit_plan", PLAN)), FAILURES["stall"])
    agent = Agent(TOOLS, playbooks=(), endpoint=server.endpoint())
    asyncio.get_running_loop().call_later(1.0, agent.stop)
    report = await agent.investigate(INCIDENT, Budget(total_s=60))
    assert (report.status, report.timing["wall_s"]) == ("partial", 1.0)
    assert "stopped on request" in report.notes
    assert report.hypotheses


@pytest.mark.virtual
async def test_closing_the_stream_cancels_the_work() -> None:
    agent = Agent(TOOLS, playbooks=(), endpoint=Server(FAILURES["stall"]).endpoint())
    stream = agent.stream(INCIDENT, Budget(total_s=60))
    async for seen in stream:
        if isinstance(seen, TurnStarted):
            break
    await stream.aclose()  # type: ignore[attr-defined]
    assert not [t for t in asyncio.all_tasks() if t is not asyncio.current_task()]


async def paused_and_resumed(saver: Any) -> tuple[Report, Report]:
    slow = [*spoken(("submit_plan", PLAN))[:1], 0.3, *spoken(("submit_plan", PLAN))[1:]]
    server = Server(lambda _: response(slow), sensible)
    first = Agent(TOOLS, playbooks=(), endpoint=server.endpoint(), checkpointer=saver, pause_before=("conclude",))
    paused = await first.investigate(INCIDENT, Budget(total_s=20), thread_id="t")
    second = Agent(TOOLS, playbooks=(), endpoint=Server(sensible).endpoint(), checkpointer=saver)
    return paused, await second.resume("t")


def continued(paused: Report, resumed: Report) -> None:
    assert paused.status == "partial"
    assert resumed.status == "complete"
    assert [t["node"] for t in resumed.timing["turns"]] == ["plan", "act", "observe", "verify", "conclude"]
    assert resumed.timing["wall_s"] >= 0.3  # what was spent before stays spent
    assert resumed.timing["sla_s"] == 20
    assert [e.quote for e in resumed.evidence] == [QUOTE]


@pytest.mark.virtual
async def test_a_paused_run_goes_on_from_memory_and_its_spent_time_is_kept() -> None:
    continued(*await paused_and_resumed(InMemorySaver()))


async def test_a_paused_run_goes_on_from_sqlite_and_its_spent_time_is_kept(tmp_path: Path) -> None:
    async with AsyncSqliteSaver.from_conn_string(str(tmp_path / "runs.db")) as saver:
        continued(*await paused_and_resumed(saver))
    assert b"hunter2" not in (tmp_path / "runs.db").read_bytes()


async def test_resuming_what_was_never_begun_says_so() -> None:
    agent = Agent(TOOLS, playbooks=(), endpoint=Server(sensible).endpoint(), checkpointer=InMemorySaver())
    with pytest.raises(InputError, match="no run 'x'"):
        await agent.resume("x")


@pytest.mark.virtual
async def test_no_secret_is_sent_stored_or_printed() -> None:
    secret = "hunter2-is-secret"

    @tool(expect_s=0.1, opening={})
    async def leaky() -> Observation:
        """Leaks."""
        line = f"ERROR login password={secret} from 10.1.2.3 failed: too many"
        return Observation(
            line, (Finding("log.error", line, "error", "web", quote=line, score=0.9),), text=line, examined=1
        )

    saver, server = InMemorySaver(), Server(sensible)
    agent = Agent([leaky, read_disk], playbooks=(), endpoint=server.endpoint(), checkpointer=saver)
    incident = Incident(f"web fails, postgres://web:{secret}@db/x", context=f"Authorization: Bearer {secret}")
    report = await agent.investigate(incident, thread_id="t")
    assert secret not in repr(server.bodies)
    assert "10.1.2.3" not in repr(server.bodies)
    assert secret not in render(report)
    stored = repr([c async for c in saver.alist(None)])
    assert secret not in stored


@pytest.mark.virtual
async def test_addresses_are_restored_in_the_local_report() -> None:
    @tool(expect_s=0.1, opening={})
    async def addressed() -> Observation:
        """Names an address."""
        line = "ERROR no route to 10.1.2.3 at all"
        return Observation(line, (Finding("log.error", line, "error", "web", quote=line, score=0.9),), examined=1)

    report = await investigated(Server(FAILURES["401"]), [addressed])
    assert report.evidence[0].quote == "ERROR no route to 10.1.2.3 at all"


def test_the_same_run_twice_is_the_same_to_the_last_digit() -> None:
    async def once() -> str:
        return render(await Agent(TOOLS, playbooks=(), pace="real").investigate(INCIDENT, Budget(total_s=SLA_S)))

    assert run_virtual(once()) == run_virtual(once())


@pytest.mark.virtual
async def test_chat_completions_give_the_same_diagnosis_as_responses() -> None:
    from fastagent.backend import embedded

    reports = [
        await Agent(TOOLS, playbooks=(), endpoint=embedded("none", "ultrafast", dialect)).investigate(INCIDENT)
        for dialect in ("responses", "chat")
    ]
    assert reports[0].root_cause == reports[1].root_cause
    assert reports[0].evidence == reports[1].evidence


@pytest.mark.virtual
async def test_the_wall_time_is_fully_attributed() -> None:
    report = await Agent(TOOLS, playbooks=(), pace="real").investigate(INCIDENT, Budget(total_s=SLA_S))
    parts = report.timing["by_kind"]
    assert sum(parts.values()) == pytest.approx(report.timing["wall_s"], abs=1e-3)
    assert parts.get("unattributed", 0.0) <= 0.03 * report.timing["wall_s"]
    assert set(report.timing["emulated_s"]) == {"ultrafast", "default"}
    assert report.timing["emulated_s"]["default"] > 5 * report.timing["emulated_s"]["ultrafast"]


async def test_with_evidence_withheld_the_answer_is_unknown() -> None:
    report = await Agent([withheld(t) for t in (look_around, read_disk)], playbooks=()).investigate(INCIDENT)
    assert report.root_cause is not None
    assert (report.root_cause.category, report.root_cause.verdict) == ("unknown", "INCONCLUSIVE")


async def test_an_unknown_tier_is_refused_with_the_names_of_the_known() -> None:
    with pytest.raises(InputError, match="ultrafast"):
        Agent(TOOLS, tier="warp")


async def test_a_tool_that_is_broken_costs_its_evidence_and_not_the_answer() -> None:
    @tool(expect_s=0.1, opening={})
    def broken() -> str:
        """Reads something and fails."""
        raise StopIteration("bug")

    report = await Agent([*TOOLS, broken], playbooks=()).investigate(INCIDENT)
    assert report.status == "complete"
    assert any("broken is broken" in note for note in report.notes)


@pytest.mark.virtual
@pytest.mark.parametrize("turns", [1, 2, 3, 4])
async def test_a_spent_budget_of_turns_ends_the_search_and_not_the_answer(turns: int) -> None:
    agent = Agent(TOOLS, playbooks=(), endpoint=Server(sensible).endpoint())
    report = await agent.investigate(INCIDENT, Budget(total_s=SLA_S, turns=turns))
    assert report.status == ("partial" if turns < 3 else "complete")  # with three, only the re-weighing is left out
    assert report.root_cause is not None
    assert report.root_cause.component == "db-1"
    assert len(report.timing["turns"]) <= turns + 1  # the answer's own turn may use the reserve


@pytest.mark.virtual
@pytest.mark.parametrize(
    "told", ["soon", 7, {"queue_time": "soon"}, {"tiers": [1]}, {"tiers": {"x": None}}, {"queue_time": -1}]
)
async def test_times_that_are_none_are_passed_over(told: Any) -> None:
    def reply(body: dict[str, Any]) -> httpx2.Response:
        stream = sensible(body).stream
        assert isinstance(stream, Bytes)
        last = event("response.completed", response={"status": "completed", "usage": {}, "time_info": told})
        return response([*stream.pieces[:-1], last])

    report = await investigated(Server(reply))
    assert report.status == "complete"
    assert report.timing["overrun_s"] == 0.0


@pytest.mark.virtual
async def test_quotes_that_speak_against_a_cause_do_not_confirm_it() -> None:
    against = [{**CLAIM, "supports": [], "contradicts": ["h1"]}]
    server = in_order(
        ("read_disk", {}),
        ("submit_assessment", assessment(*against)),
        ("submit_assessment", assessment()),
        ("submit_diagnosis", diagnosis()),
    )
    report = await investigated(server)
    assert report.root_cause is not None
    assert report.root_cause.verdict == "INCONCLUSIVE"


@pytest.mark.virtual
async def test_categories_labels_and_changes_that_the_model_made_up_are_dropped_and_told() -> None:
    made_up = diagnosis(
        category="bananas", label="no-such-playbook", change={"kind": "commit", "commit": "deadbeefcafe", "why": "x"}
    )
    server = in_order(
        ("read_disk", {}),
        ("submit_assessment", assessment(CLAIM)),
        ("submit_assessment", assessment()),
        ("submit_diagnosis", made_up),
    )
    report = await investigated(server)
    assert report.root_cause is not None
    assert (report.root_cause.category, report.root_cause.label, report.change) == ("unknown", None, None)
    assert sum("made up" in note or "stands nowhere" in note for note in report.notes) == 3


@pytest.mark.virtual
async def test_the_same_call_twice_in_one_turn_is_made_once() -> None:
    calls: list[int] = []

    @tool(expect_s=0.01)
    async def count() -> str:
        """Counts."""
        calls.append(1)
        await asyncio.sleep(0.5)
        return "counted"

    server = Server(says(("submit_plan", PLAN)), says(("count", {}), ("count", {})), sensible)
    await investigated(server, [*TOOLS, count])
    assert len(calls) == 1


async def test_a_run_with_malformed_arguments_can_be_resumed() -> None:
    saver = InMemorySaver()
    server = Server(says(("submit_plan", PLAN)), says(("read_disk", "{not json"), ("read_disk", {})), sensible)
    agent = Agent(TOOLS, playbooks=(), endpoint=server.endpoint(), checkpointer=saver, pause_before=("conclude",))
    await agent.investigate(INCIDENT, Budget(total_s=SLA_S), thread_id="t")
    report = await agent.resume("t")
    assert report.status == "complete"


@pytest.mark.parametrize("url", ["http://bob:s3cret@127.0.0.1:9/v1", "http://a:bad/v1", "http:///v1"])
def test_an_address_that_is_none_or_shows_a_password_is_refused(url: str) -> None:
    with pytest.raises(InputError) as caught:
        remote(url, "m", "", "default")
    assert "s3cret" not in str(caught.value)
