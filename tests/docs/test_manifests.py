"""The manifests for Kubernetes in deploy/."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

ROOT = Path(__file__).parents[2]
MANIFESTS: list[dict[str, Any]] = list(yaml.safe_load_all((ROOT / "deploy" / "kubernetes.yml").read_text("utf-8")))


@pytest.mark.parametrize("manifest", MANIFESTS, ids=lambda m: f"{m['kind']} {m['metadata']['name']}")
def test_it_follows_the_schema_of_kubernetes(manifest: dict[str, Any]) -> None:
    """Also unknown keys are mistakes."""
    validator = pytest.importorskip(
        "kubernetes_validate", reason="pip install kubernetes-validate: its schemas are 22 MB"
    )
    validator.validate(manifest, validator.latest_version(), strict=True)


def test_services_find_their_pods() -> None:
    """By labels that the pods have, and a port of theirs."""
    pods = [m["spec"]["template"] for m in MANIFESTS if m["kind"] == "Deployment"]
    for service in (m["spec"] for m in MANIFESTS if m["kind"] == "Service"):
        (found,) = [pod for pod in pods if service["selector"].items() <= pod["metadata"]["labels"].items()]
        ports = {port["name"] for container in found["spec"]["containers"] for port in container["ports"]}
        assert {port["targetPort"] for port in service["ports"]} <= ports


def test_what_the_container_runs_is_a_command() -> None:
    """The options of the container file are those of `lsqlc run`, and the image has what they need."""
    text = (ROOT / "deploy" / "Containerfile").read_text("utf-8")
    page = (ROOT / "docs" / "production.md").read_text("utf-8")
    words = text.partition("CMD [")[2].partition("]")[0].replace('"', "").replace(",", "")
    assert f"lsqlc {words}" in page
