"""The manifests for Kubernetes in deploy/."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
import yaml

from lsqlc.remote.server.artifacts import pinned

ROOT = Path(__file__).parents[2]
IMAGES = "Containerfile", "Containerfile.spark"
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


def test_the_spark_server_has_the_jars_that_are_tested() -> None:
    """Of the same versions and contents, in the folder of the Python that the image has."""
    text = (ROOT / "deploy" / "Containerfile.spark").read_text("utf-8")
    added = re.findall(r"--checksum=sha256:(\w+) \\\n +https://\S+/([\w.-]+\.jar) \\\n +(\S+)", text)
    version = re.search(r"FROM python:([\d.]+)-", text)
    assert version is not None
    folder = f"/usr/local/lib/python{version[1]}/site-packages/pyspark/jars/"
    assert added == [(jar.sha256, jar.file, folder) for jar in pinned("spark-kafka").artifacts]


def test_the_spark_server_runs_the_python_of_the_project() -> None:
    """Both images have one minor version."""
    images = {(ROOT / "deploy" / name).read_text("utf-8").partition("FROM ")[2].partition("\n")[0] for name in IMAGES}
    assert len(images) == 1


def test_what_the_container_runs_is_a_command() -> None:
    """The options of the container file are those of `lsqlc run`, and the image has what they need."""
    text = (ROOT / "deploy" / "Containerfile").read_text("utf-8")
    page = (ROOT / "docs" / "how-to/production.md").read_text("utf-8")
    words = text.partition("CMD [")[2].partition("]")[0].replace('"', "").replace(",", "")
    assert f"lsqlc {words}" in page
