"""Float32 arithmetic: how far a run is from a float64 run on one rank, held against how far rounding alone takes one rank. The
same numbers as `ordercheck run` holds, computed apart from it."""

from __future__ import annotations

import math

from ordercheck_pytorch.program.result import RankResult

FAR_BEYOND = 16  # times the noise floor
SPLITS = (1, 4, 16)
UNIT_ROUNDOFF = 2.0**-24  # of float32
AFTER_A_STEP = 1e-4  # of the optimizer: AdamW may turn an element around

Place = tuple[str, int, str]  # "gradient", step, name of the parameter


def distances(expected: RankResult, got: RankResult) -> dict[Place, tuple[float, float]]:
    """Error and size of every loss, gradient and norm, and of the parameters after the last step."""
    found: dict[Place, tuple[float, float]] = {}
    for step, loss in enumerate(expected.losses):
        found["loss", step, ""] = (abs(got.losses[step] - loss), abs(loss))
        for name, gradient in got.gradients[step].items():
            owed = expected.gradients[step][name]
            found["gradient", step, name] = (float((gradient - owed).norm()), float(owed.norm()))
        norm = expected.gradient_norms[step]
        found["gradient norm", step, ""] = (abs(got.gradient_norms[step] - norm), abs(norm))
    for name, value in got.values.items():
        owed = expected.values[name]
        found["parameter", len(expected.losses) - 1, name] = (
            float((value - owed).norm()),
            float(owed.norm()),
        )
    return found


def relative(error: float, size: float) -> float:
    if error == 0:
        return 0.0
    return error / size if size and math.isfinite(error) else math.inf


def noise_of_all(found: dict[Place, tuple[float, float]]) -> dict[Place, float]:
    """For every place, the distance of all gradients of its step, or of all parameters, taken as one tensor."""
    squares: dict[tuple[bool, int], tuple[float, float]] = {}
    for (kind, step, _), (error, size) in found.items():
        if kind in ("gradient", "parameter") and math.isfinite(error):
            errors, sizes = squares.get((kind == "parameter", step), (0.0, 0.0))
            squares[kind == "parameter", step] = (errors + error**2, sizes + size**2)
    noise = {}
    for place in found:
        errors, sizes = squares.get((place[0] == "parameter", place[1]), (0.0, 0.0))
        noise[place] = math.sqrt(errors / sizes) if sizes else 0.0
    return noise


def widened(floor: dict[Place, float], found: dict[Place, tuple[float, float]]) -> dict[Place, float]:
    """By what one more single-rank run shows."""
    noise = noise_of_all(found)
    wider = {}
    for place, (error, size) in found.items():
        least = AFTER_A_STEP if place[0] == "parameter" or place[1] > 0 else UNIT_ROUNDOFF
        wider[place] = max(floor.get(place, least), relative(error, size), noise[place])
    return wider


def farthest(
    found: dict[Place, tuple[float, float]], floor: dict[Place, float]
) -> tuple[Place, float, float]:
    """What is most times its floor away, its distance and its floor. Of what is far beyond, that of the first step, and a
    gradient rather than a loss."""
    held = {place: relative(*both) for place, both in found.items()}
    beyond = [place for place, distance in held.items() if distance > FAR_BEYOND * floor[place]]
    first = min((step for _, step, _ in beyond), default=0)
    among = [place for place in beyond if place[1] == first] or list(held)
    worst = max(
        among, key=lambda place: (bool(beyond) and place[0] == "gradient", held[place] / floor[place])
    )
    return worst, held[worst], floor[worst]


def describe_place(place: Place) -> str:
    kind, step, name = place
    if kind == "parameter":
        return f"{name} after the last step"
    return f"the {kind} of {name} in step {step}" if name else f"the {kind} of step {step}"
