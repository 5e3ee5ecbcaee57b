"""Published instances of pyDCOP and DCOPSolver are read, written, read again, and solved as is known of them.

They are not ours to ship. Whoever has them names the folder above ``pydcop`` and ``dcopsolver`` in
MENSURA_PUBLISHED_PROBLEMS.
"""

import os
from pathlib import Path

import pytest

from mensura.agent.errors import MensuraError
from mensura.worlds.constraints.formats import problem_text, read_bytes, read_problem
from mensura.worlds.constraints.truth import certify

FOLDER = Path(os.environ.get("MENSURA_PUBLISHED_PROBLEMS", "none"))
pytestmark = pytest.mark.skipif(
    not (FOLDER / "pydcop").is_dir(), reason="MENSURA_PUBLISHED_PROBLEMS names no folder with them"
)

OPTIMA = {
    "pydcop/graph_coloring1.yaml": -0.1,
    "pydcop/graph_coloring_10_4_15_0.1.yml": 0.0,
    "pydcop/graph_coloring_10_4_15_0.1_capa.yml": 0.0,
    "pydcop/graph_coloring_10_4_15_0.1_capa_costs.yml": 0.0,
    "pydcop/graph_coloring_3agts_10vars.yaml": 10_000.0,
    "pydcop/graph_coloring_4agts_10vars.yaml": 10_000.0,
    "pydcop/graph_coloring_csp.yaml": 0.0,
    "pydcop/graph_coloring_eq.yaml": -0.3,
    "pydcop/graph_coloring_seperate_costs.yaml": -0.1,
    "pydcop/graph_coloring_seperate_costs_intention.yaml": -0.3,
    "pydcop/graph_coloring_tuto.yaml": 12.0,
    "pydcop/graph_coloring_tuto_max.yaml": -53.0,
    "pydcop/secp_simple1.yaml": 2.3,
    "pydcop/SimpleHouse.yml": 66.2,
    "dcopsolver/RandomDCOP_4_2_1.xml": 12.0,
    "dcopsolver/RandomDCOP_5_3_1.xml": 46.0,
    "dcopsolver/RandomDCOP_7_3_1.xml": 243.0,
    "dcopsolver/RandomDCOP_7_10_1.xml": 89.0,
    "dcopsolver/RandomDCOP_10_3_1.xml": 490.0,
    "dcopsolver/RandomDCOP_12_4_1.xml": 909.0,
    "dcopsolver/RandomDCOP_15_3_1.xml": 1224.0,
    "dcopsolver/RandomDCOP_20_2_1.xml": 3791.0,
}
VERDICTS = {
    "dcopsolver/GC_7.xml": "unsatisfiable",
    "dcopsolver/MS_15_08_3_01.xml": "unsatisfiable",
    "dcopsolver/RandomDisCSP_10_5_1.xml": "satisfiable",
}


def files() -> list[str]:
    return [
        str(path.relative_to(FOLDER))
        for folder in ("pydcop", "dcopsolver")
        for path in sorted((FOLDER / folder).glob("*"))
        if path.suffix in (".yaml", ".yml", ".xml")
    ]


@pytest.mark.parametrize("name", files())
def test_a_published_instance_has_its_optimum(name: str, full_size: bool) -> None:
    if name.endswith("_func.yaml"):
        with pytest.raises(MensuraError, match=r"line 21: .* is not an expression"):
            read_problem(FOLDER / name)
        return
    problem = read_problem(FOLDER / name)
    again = read_bytes(problem_text(problem).encode(), ".yaml", "again")
    assert again.digest == problem.digest
    if name.endswith("SimpleHouse.yml") and not full_size:
        return
    verdict = certify(problem, seconds=60)
    if name in VERDICTS:
        assert verdict.status == VERDICTS[name]
        return
    assert verdict.status == "optimal"
    assert verdict.value == pytest.approx(OPTIMA[name], abs=1e-12)
