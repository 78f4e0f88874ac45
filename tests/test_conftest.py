"""The guards that every other test relies on."""

from __future__ import annotations

import os
import socket
import urllib.request
from pathlib import Path

import pytest


@pytest.mark.parametrize("address", [("192.0.2.1", 80), ("2001:db8::1", 80, 0, 0)])
def test_a_connection_out_of_the_machine_is_refused_with_its_address(address):
    family = socket.AF_INET if len(address) == 2 else socket.AF_INET6
    with socket.socket(family) as s:
        for connect in (s.connect, s.connect_ex):
            with pytest.raises(AssertionError, match=address[0]):
                connect(address)


def test_a_name_is_refused_before_it_is_looked_up():
    with pytest.raises(AssertionError, match=r"example\.org"):
        urllib.request.urlopen("http://example.org/")


def test_loopback_is_reached():
    with socket.create_server(("127.0.0.1", 0)) as server, socket.create_connection(server.getsockname()) as s:
        assert s.getpeername() == server.getsockname()


def test_the_environment_holds_no_mirror_and_no_credential():
    found = {"DMB_MIRROR", "DMB_RUN", "TYPESAFE_API_KEY", "OPENAI_API_KEY", "ANTHROPIC_AUTH_TOKEN"} & set(os.environ)
    assert not found


def test_a_project_copy_holds_the_inputs_and_nothing_built(project_copy):
    assert {p.name for p in project_copy.iterdir()} == {"Snakefile", "config.yaml", "rules", "profiles", "data", "dmb"}
    assert not (project_copy / "data/raw").exists() and not (project_copy / "data/items").exists()
    assert (project_copy / "data/items.lock.json").is_file()
    assert Path().samefile(project_copy)
