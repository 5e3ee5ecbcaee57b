"""What all figures share."""

from __future__ import annotations

from typing import Any

from mensura.reports.drawing import drawn


def test_numbers_of_logarithmic_axes_are_text_that_can_be_read() -> None:
    def paint(axes: Any) -> None:
        axes.plot([1, 10_000_000], [0.00001, 1])
        axes.set_xscale("log")
        axes.set_yscale("log")

    made = drawn(400, 300, "powers", "Powers", paint)
    assert "mathdefault" not in made
    assert ">10⁴<" in made
    assert ">10⁻⁵<" in made
    assert ">100<" in made
