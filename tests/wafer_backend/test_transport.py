"""The emulator through the official client, in virtual time: exact times, no sockets."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import httpx2
import openai
import pytest
from openai import AsyncOpenAI
from pydantic import BaseModel

from fastagent.testing import run_virtual
from wafer_backend.engines.registry import EngineNotFound
from wafer_backend.transport import Backend

NS = 1.5e-9  # a nanosecond, and what floats add to it
TOOL = {
    "type": "function",
    "name": "grep",
    "description": "Search the log.",
    "strict": True,
    "parameters": {
        "type": "object",
        "properties": {"pattern": {"type": "string"}},
        "required": ["pattern"],
        "additionalProperties": False,
    },
}

pytestmark = pytest.mark.virtual


class Verdict(BaseModel):
    component: str
    confident: bool


@asynccontextmanager
async def client_of(backend: Backend) -> AsyncIterator[Any]:
    """The official client; untyped, because its types know nothing of `time_info` and ask for typed dicts."""
    async with httpx2.AsyncClient(transport=backend.transport()) as http:
        yield AsyncOpenAI(base_url=backend.base_url, api_key="unused", http_client=http, max_retries=0)


def backend(**options: Any) -> Backend:
    return Backend(**{"pace": "real", "engine": "echo"} | options)


def now() -> float:
    return asyncio.get_running_loop().time()


async def test_ten_tokens_arrive_at_ten_times_exactly_as_the_emulator_spaces_them() -> None:
    async with client_of(backend()) as client:
        began, times = now(), []
        stream = await client.responses.create(model="gpt-5.6-sol", input="10", stream=True, service_tier="ultrafast")
        async for event in stream:
            if event.type == "response.output_text.delta":
                times.append(now() - began)
            elif event.type == "response.completed":
                info = event.response.model_extra["time_info"]
    first, interval = info["prompt_time"], info["completion_time"] / 9
    assert times == pytest.approx([first + interval * n for n in range(10)], abs=NS)
    assert interval == pytest.approx(1 / 750, rel=0.01)


async def test_chat_chunks_arrive_at_the_same_times() -> None:
    async with client_of(backend()) as client:
        began, times = now(), []
        stream = await client.chat.completions.create(
            model="gpt-5.6-sol",
            messages=[{"role": "user", "content": "10"}],
            stream=True,
            extra_body={"service_tier": "ultrafast"},
        )
        async for chunk in stream:
            info = chunk.model_extra.get("time_info")
            if chunk.choices[0].delta.content:
                times.append(now() - began)
    first, interval = info["prompt_time"], info["completion_time"] / 9
    assert times == pytest.approx([first + interval * n for n in range(10)], abs=NS)


async def test_a_whole_answer_comes_when_its_last_token_is_out() -> None:
    async with client_of(backend()) as client:
        began = now()
        response = await client.responses.create(model="gpt-5.6-sol", input="10")
    assert now() - began == pytest.approx(response.model_extra["time_info"]["total_time"], abs=NS)


async def test_unpaced_nobody_waits_and_the_times_are_told() -> None:
    async with client_of(backend(pace="none")) as client:
        response = await client.responses.create(model="gpt-5.6-sol", input="500")
    assert now() == 0
    assert response.model_extra["time_info"]["total_time"] > 5


async def test_both_tiers_say_the_same_to_the_byte() -> None:
    async with client_of(backend()) as client:
        said = [
            await client.responses.create(
                model="gpt-5.6-sol", input="20", tools=[TOOL], tool_choice=choice, service_tier=tier
            )
            for tier in ("ultrafast", "default")
            for choice in ("auto", "required")
        ]
    told = [(response.id, [item.to_json() for item in response.output]) for response in said]
    assert told[:2] == told[2:]
    assert [response.service_tier for response in said] == ["ultrafast"] * 2 + ["default"] * 2


async def ten_turns() -> tuple[float, float, list[str]]:
    """Ten turns of one call each: how long they took, how long the emulator says they took, and every call id."""
    async with client_of(backend()) as client:
        history: list[Any] = [{"role": "user", "content": "why is checkout slow?"}]
        began, predicted_s, ids = now(), 0.0, []
        for turn in range(10):
            stream = await client.responses.create(
                model="gpt-5.6-sol",
                input=history,
                tools=[TOOL],
                tool_choice="required",
                service_tier="ultrafast",
                stream=True,
            )
            final = [event async for event in stream][-1].response
            predicted_s += final.model_extra["time_info"]["total_time"]
            call = final.output[0]
            ids.append(call.call_id)
            history += [call.to_dict()]
            history += [{"type": "function_call_output", "call_id": call.call_id, "output": f"line {turn}"}]
        return now() - began, predicted_s, ids


async def test_a_ten_turn_loop_takes_the_predicted_time() -> None:
    took_s, predicted_s, ids = await ten_turns()
    assert took_s == pytest.approx(predicted_s, abs=NS)
    assert len(set(ids)) == 10


def test_two_runs_of_a_loop_are_identical() -> None:
    assert run_virtual(ten_turns()) == run_virtual(ten_turns())


async def test_a_longer_history_is_read_from_the_cache() -> None:
    async with client_of(backend()) as client:
        question: list[Any] = [{"role": "user", "content": "line of a log\n" * 400}]
        first = await client.responses.create(model="gpt-5.6-sol", input=question)
        history = [*question, first.output[0].to_dict(), {"role": "user", "content": "and now?"}]
        second = await client.responses.create(model="gpt-5.6-sol", input=history)
    assert first.usage.input_tokens_details.cached_tokens == 0
    assert second.usage.input_tokens_details.cached_tokens > 0.9 * first.usage.input_tokens
    assert second.model_extra["time_info"]["prompt_time"] < first.model_extra["time_info"]["prompt_time"]


async def test_leaving_a_stream_frees_its_slot() -> None:
    served = backend()
    async with client_of(served) as client:
        stream = await client.responses.create(model="gpt-5.6-sol", input="1000", stream=True, service_tier="ultrafast")
        async for event in stream:
            if event.type == "response.output_text.delta":
                break
        assert served._app.driver.active("ultrafast") == 1
        await stream.close()
        assert served._app.driver.active("ultrafast") == 0


async def test_cancelling_whoever_waits_frees_the_slot() -> None:
    served = backend()
    async with client_of(served) as client:
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0.5):
                await client.responses.create(model="gpt-5.6-sol", input="1000")
        assert now() == pytest.approx(0.5)
        assert served._app.driver.active("default") == 0


async def test_the_streaming_helpers_gather_the_answer() -> None:
    async with client_of(backend()) as client:
        async with client.responses.stream(model="gpt-5.6-sol", input="5") as responses:
            response = await responses.get_final_response()
        messages: list[Any] = [{"role": "user", "content": "5"}]
        async with client.chat.completions.stream(model="gpt-5.6-sol", messages=messages) as chunks:
            completion = await chunks.get_final_completion()
    assert response.output_text == completion.choices[0].message.content == "one two three four five"


async def test_parse_gives_models() -> None:
    async with client_of(backend()) as client:
        response = await client.responses.parse(model="gpt-5.6-sol", input="?", text_format=Verdict)
        messages: list[Any] = [{"role": "user", "content": "?"}]
        completion = await client.chat.completions.parse(
            model="gpt-5.6-sol", messages=messages, response_format=Verdict
        )
    expected = Verdict(component="sample", confident=True)
    assert response.output_parsed == completion.choices[0].message.parsed == expected


@pytest.mark.parametrize(
    ("body", "error", "param"),
    [
        ({"model": "gpt-4"}, openai.NotFoundError, "model"),
        ({"previous_response_id": "resp_1"}, openai.BadRequestError, "previous_response_id"),
        ({"service_tier": "warp"}, openai.BadRequestError, "service_tier"),
    ],
)
async def test_refusals_are_the_clients_own_errors(body: Any, error: Any, param: Any) -> None:
    async with client_of(backend()) as client:
        with pytest.raises(error) as caught:
            await client.responses.create(**{"model": "gpt-5.6-sol", "input": "hi"} | body)
    assert caught.value.param == param
    assert caught.value.request_id


def test_a_backend_says_what_it_is() -> None:
    served = backend()
    assert (served.model, served.answered_by) == ("gpt-5.6-sol", "emulator:echo")
    assert served.tiers == ("ultrafast", "default")


def test_an_engine_that_is_not_there_is_said_at_once() -> None:
    with pytest.raises(EngineNotFound):
        Backend(engine="nobody")
