"""What deploy/ says can be done as it says: units that systemd takes, a compose file of the right shape, an image whose
steps find their files, and commands that exist."""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import tomllib
import zipfile
from fnmatch import fnmatch
from pathlib import Path
from typing import Any

import pytest
import yaml  # type: ignore[import-untyped]
from tests.manual.command_lines import ROOT
from tests.manual.test_manual import _options_exist

from phasa.cli.group import COMMANDS

DEPLOY = ROOT / "deploy"
UNITS = sorted((DEPLOY / "systemd").glob("*.service"))
EXTRAS = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["optional-dependencies"]


def exists(words: list[str]) -> None:
    """A command of phasa is there with its options; those of the fleet as soon as there is one."""
    if words[0] != "fleet" or "fleet" in COMMANDS:
        _options_exist(words)


# ── units ────────────────────────────────────────────────────────────────────────────────────────


def settings(unit: Path) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for line in unit.read_text(encoding="utf-8").splitlines():
        if "=" in line and not line.startswith("#"):
            name, _, value = line.partition("=")
            found.setdefault(name, []).append(value)
    return found


def test_there_are_units_for_crawl_feeds_and_application() -> None:
    assert [unit.name for unit in UNITS] == ["phasa-crawl@.service", "phasa-feeds@.service", "phasa-serve@.service"]


@pytest.mark.parametrize("unit", UNITS, ids=lambda unit: unit.stem)
def test_a_unit_runs_a_command_that_exists(unit: Path) -> None:
    (line,) = settings(unit)["ExecStart"]
    program, *words = shlex.split(line)
    assert program == "/opt/phasa/bin/phasa"
    exists(words)
    assert f"/var/lib/{settings(unit)['StateDirectory'][0]}/%i" in words


def verified(unit: Path, tmp_path: Path, change: tuple[str, str] = ("", "")) -> str:
    """What systemd says of a unit whose program is there; "" when nothing is wrong."""
    if shutil.which("systemd-analyze") is None:
        pytest.skip("no systemd-analyze; install the package 'systemd' to have the units checked")
    text = unit.read_text(encoding="utf-8").replace("/opt/phasa/bin/phasa", sys.executable).replace(*change)
    (tmp_path / unit.name).write_text(text, encoding="utf-8")
    done = subprocess.run(
        ["systemd-analyze", "verify", "--man=no", str(tmp_path / unit.name)],
        check=False,
        capture_output=True,
        text=True,
    )
    return done.stderr


@pytest.mark.parametrize("unit", UNITS, ids=lambda unit: unit.stem)
def test_systemd_takes_a_unit_as_it_is(unit: Path, tmp_path: Path) -> None:
    assert verified(unit, tmp_path) == ""
    assert "ProtectSystme" in verified(unit, tmp_path, ("ProtectSystem", "ProtectSystme")), "it would have said so"


@pytest.mark.parametrize("unit", UNITS, ids=lambda unit: unit.stem)
def test_a_unit_is_hardened(unit: Path, tmp_path: Path) -> None:
    said = settings(unit)
    for name in ("NoNewPrivileges", "ProtectHome", "PrivateTmp", "RestrictNamespaces", "ProtectKernelTunables"):
        assert said[name] == ["true"]
    assert (said["User"], said["ProtectSystem"], said["CapabilityBoundingSet"]) == (["phasa"], ["strict"], [""])
    if shutil.which("systemd-analyze") is None:
        return
    shutil.copy(unit, tmp_path / unit.name)
    done = subprocess.run(
        ["systemd-analyze", "security", "--offline=true", "--json=short", "--threshold=25", str(tmp_path / unit.name)],
        check=False, capture_output=True, text=True,
    )  # fmt: skip
    assert done.returncode == 0, "the exposure that systemd sees is above 2.5 of 10"
    assert json.loads(done.stdout)


# ── the compose file ─────────────────────────────────────────────────────────────────────────────

STRINGS: dict[str, Any] = {"type": "array", "items": {"type": "string"}}
MAP: dict[str, Any] = {"type": "object", "additionalProperties": {"type": "string"}}
SCHEMA: dict[str, Any] = {
    "type": "object",
    "required": ["services", "volumes"],
    "additionalProperties": False,
    "patternProperties": {"^x-": {}},
    "properties": {
        "volumes": {"type": "object", "additionalProperties": {"type": ["object", "null"]}},
        "services": {
            "type": "object",
            "additionalProperties": {
                "type": "object",
                "required": ["image", "restart"],
                "additionalProperties": False,
                "properties": {
                    "image": {"type": "string"},
                    "build": {**MAP, "required": ["context", "dockerfile"]},
                    "restart": {"enum": ["no", "always", "on-failure", "unless-stopped"]},
                    "environment": MAP,
                    "volumes": STRINGS,
                    "shm_size": {"type": "string", "pattern": "^[0-9]+(mb|gb)$"},
                    "stop_grace_period": {"type": "string", "pattern": "^([0-9]+[hms])+$"},
                    "security_opt": STRINGS,
                    "cap_drop": STRINGS,
                    "entrypoint": STRINGS,
                    "command": STRINGS,
                    "ports": {"type": "array", "items": {"type": "string", "pattern": r"^127\.0\.0\.1:[0-9]+:[0-9]+$"}},
                    "profiles": STRINGS,
                    "healthcheck": {
                        "type": "object",
                        "required": ["test", "interval", "timeout", "retries"],
                        "properties": {"test": STRINGS, "retries": {"type": "integer"}},
                    },
                    "depends_on": {
                        "type": "object",
                        "additionalProperties": {
                            "type": "object",
                            "properties": {"condition": {"enum": ["service_healthy", "service_started"]}},
                        },
                    },
                    "deploy": {"type": "object", "properties": {"replicas": {"type": "integer", "minimum": 1}}},
                },
            },
        },
    },
}


@pytest.fixture(scope="module")
def compose() -> Any:
    return yaml.safe_load((DEPLOY / "compose.yaml").read_text(encoding="utf-8"))


def test_the_compose_file_has_the_shape_of_one(compose: Any) -> None:
    from jsonschema import ValidationError, validate  # type: ignore[import-untyped]

    validate(compose, SCHEMA)
    compose["services"]["head"]["comand"] = ["x"]
    with pytest.raises(ValidationError, match="comand"):
        validate(compose, SCHEMA)
    del compose["services"]["head"]["comand"]


def test_the_services_are_a_fleet(compose: Any) -> None:
    services = compose["services"]
    assert {"postgres", "head", "worker"} <= services.keys()
    assert services["worker"]["deploy"]["replicas"] == 2
    for name, service in services.items():
        for other, how in service.get("depends_on", {}).items():
            assert how["condition"] != "service_healthy" or "healthcheck" in services[other], (name, other)
        for volume in service.get("volumes", []):
            assert volume.partition(":")[0] in compose["volumes"], (name, volume)
        if "build" in service:
            home = (DEPLOY / service["build"]["context"]).resolve()
            assert (home / service["build"]["dockerfile"]).is_file()


def test_the_services_run_commands_that_exist(compose: Any) -> None:
    ray = pytest.importorskip("ray.scripts.scripts").cli.commands
    for name, service in compose["services"].items():
        if "build" not in service:
            continue
        words = service.get("command", [])
        if service.get("entrypoint") == ["ray"]:
            known = {option for one in ray[words[0]].params for option in one.opts}
            assert {word.partition("=")[0] for word in words[1:]} <= known, name
        else:
            exists(words)
    text = (DEPLOY / "compose.yaml").read_text(encoding="utf-8")
    lines = re.findall(r"^#   docker compose .* (?:exec head phasa|run --rm head-shell) (.*)$", text, re.MULTILINE)
    assert len(lines) == 2
    for line in lines:
        exists(line.split())


# ── the image ────────────────────────────────────────────────────────────────────────────────────


def steps() -> list[tuple[str, str]]:
    """(instruction, rest) of the Dockerfile."""
    text = (DEPLOY / "Dockerfile").read_text(encoding="utf-8")
    text = "\n".join(line for line in text.splitlines() if not line.startswith("#")).replace("\\\n", "")
    return [(line.split()[0], line.split(None, 1)[1]) for line in text.splitlines() if line.strip()]


def copied() -> list[str]:
    """The files of the checkout that the image is made from."""
    return [
        name
        for instruction, rest in steps()
        if instruction == "COPY" and not rest.startswith("--from")
        for name in rest.split()[:-1]
    ]


def test_everything_the_image_copies_is_there_and_not_ignored() -> None:
    allowed = [
        line.removeprefix("!")
        for line in (DEPLOY / "Dockerfile.dockerignore").read_text(encoding="utf-8").splitlines()
        if line.startswith("!")
    ]
    assert copied()
    for name in copied():
        assert (ROOT / name).exists(), name
        assert any(fnmatch(name, pattern) for pattern in allowed), name


def test_the_image_installs_extras_that_exist_and_ends_in_the_command() -> None:
    text = " ".join(rest for instruction, rest in steps() if instruction == "RUN")
    (extras,) = re.findall(r"\.whl\)\[([a-z,]+)\]", text)
    assert set(extras.split(",")) <= EXTRAS.keys()
    assert ("ENTRYPOINT", '["phasa"]') in steps()
    assert [rest for instruction, rest in steps() if instruction == "USER"] == ["phasa"]
    for line in re.findall(r"(?:^|&& )phasa (.*?)(?: &&|$)", text):
        exists(line.split())


@pytest.mark.soak
def test_the_steps_of_the_image_give_a_command_that_runs(tmp_path: Path) -> None:
    """The same steps in folders of this machine, as far as they need neither root nor another Python."""
    build = tmp_path / "build"
    build.mkdir()
    for name in copied():
        source = ROOT / name
        if source.is_dir():
            shutil.copytree(source, build / name, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copy(source, build / name)
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "--quiet"]
    subprocess.run([*pip, "wheel", "--no-deps", "--wheel-dir", str(tmp_path / "wheels"), "."], cwd=build, check=True)
    (wheel,) = (tmp_path / "wheels").glob("phasa-*.whl")
    with zipfile.ZipFile(wheel) as opened:
        assert "phasa/cli/archive.py" in opened.namelist()
    site = tmp_path / "site"
    subprocess.run([*pip, "install", "--no-deps", "--no-index", "--target", str(site), str(wheel)], check=True)
    env = {**os.environ, "PYTHONPATH": str(site)}
    run = [sys.executable, "-c", "import phasa; print(phasa.__file__)"]
    where = subprocess.run(run, check=True, capture_output=True, text=True, cwd=tmp_path, env=env).stdout
    assert where.startswith(str(site)), "the wheel's, not the checkout's"
    run = [str(site / "bin" / "phasa"), "archive", "ship", "--help"]
    said = subprocess.run(run, check=True, capture_output=True, text=True, cwd=tmp_path, env=env).stdout
    assert "Ship now what is finished" in said
