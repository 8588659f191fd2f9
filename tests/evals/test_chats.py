"""The chats benchmark: plans that are what they say, a load that hears what was answered, figures that count errors."""

from __future__ import annotations

import asyncio

import pytest
from benchmarks.chat_load import Client, play
from benchmarks.chats import burst_plan, steady_plan, summary

QUESTIONS = ["one?", "two?"]


def test_a_burst_has_one_message_of_every_chat_in_the_window() -> None:
    plan = burst_plan(QUESTIONS, chats=50, within_s=1.0, seed=1)
    assert sorted(chat for _, chat, _ in plan) == list(range(50))
    assert all(0 <= at_s <= 1.0 for at_s, _, _ in plan)
    assert [at_s for at_s, _, _ in plan] == sorted(at_s for at_s, _, _ in plan)
    assert plan == burst_plan(QUESTIONS, chats=50, within_s=1.0, seed=1)


def test_steady_chats_speak_as_often_as_said_and_never_repeat_a_message() -> None:
    plan = steady_plan(QUESTIONS, chats=40, every_s=20.0, lasting_s=60.0, seed=1)
    assert 100 <= len(plan) <= 140
    assert {chat for _, chat, _ in plan} == set(range(40))
    assert len({text for _, _, text in plan}) == len(plan)


async def _scripted(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    head = (await reader.readuntil(b"\r\n\r\n")).decode()
    length = int(head.lower().partition("content-length: ")[2].partition("\r\n")[0])
    body = (await reader.readexactly(length)).decode()
    if "/messages" not in head:
        writer.write(b'HTTP/1.1 201 Created\r\n\r\n{"session_id": "s"}')
    elif "refused" in body:
        writer.write(b"HTTP/1.1 429 Too Many Requests\r\n\r\n{}")
    else:
        writer.write(b"HTTP/1.1 200 OK\r\n\r\nevent: ack\ndata: {}\n\n")
        await asyncio.sleep(0.05)
        writer.write(b"event: error\n" if "broken" in body else b"event: final\n")
        await writer.drain()
        await asyncio.sleep(0.01)
        writer.write(b'data: {"reason": "provider_failure"}\n\n' if "late" in body else b"data: {}\n\n")
    await writer.drain()
    writer.close()


async def test_the_load_hears_acknowledgement_answer_and_error() -> None:
    async with await asyncio.start_server(_scripted, "127.0.0.1", 0) as server:
        host, port = server.sockets[0].getsockname()
        client = Client(host=host, port=port, token="fl_x")
        session = await client.open_chat("chat0")
        plan = [[0.0, 0, "fine"], [0.01, 0, "refused"], [0.02, 0, "broken"], [0.03, 0, "late"]]
        fine, refused, broken, late = await play(client, [session], plan)
    assert fine.error == ""
    assert fine.answer_ms - fine.ack_ms > 30
    assert refused.error == "HTTP/1.1 429"
    assert broken.error == "an error event"
    assert late.error == "handed over: provider_failure"


def test_errors_count_and_do_not_make_the_rest_look_fast() -> None:
    sent = [{"chat": 0, "error": "", "ack_ms": 10.0, "answer_ms": 100.0, "late_ms": 1.0}] * 3
    sent += [{"chat": 0, "error": "HTTP/1.1 429", "ack_ms": 0.0, "answer_ms": 0.0, "late_ms": 1.0}]
    found = summary({"sent": sent, "load_cpu_s": 0.004}, server_cpu_s=0.08)
    assert (found.turns, found.errors, found.first_error) == (4, 1, "HTTP/1.1 429")
    assert (found.ack_p50_ms, found.answer_p95_ms) == (10.0, 100.0)
    assert (found.cpu_ms, found.load_cpu_ms) == (20.0, 1.0)
    with pytest.raises(RuntimeError, match="429"):
        summary({"sent": sent[3:], "load_cpu_s": 0.0}, server_cpu_s=0.0)
