"""The generator's numbers are those of src/stack/counter_random.h."""

import torch
from ordercheck_pytorch.program.counter_random import draw, key_of, mix, units

MASK = (1 << 64) - 1


def splitmix64(state: int, count: int) -> list[int]:
    """The generator as its authors published it, with a running state."""
    drawn = []
    for _ in range(count):
        state = (state + 0x9E3779B97F4A7C15) & MASK
        z = state
        z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & MASK
        z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & MASK
        drawn.append(z ^ (z >> 31))
    return drawn


def test_mix_is_splitmix64() -> None:
    # The first output for the seed 0, as published.
    assert mix(0) == 0xE220A8397B1DCDAF
    golden = 0x9E3779B97F4A7C15
    assert [mix(0), mix(golden), mix(2 * golden & MASK)] == splitmix64(0, 3)


def test_draw_mixes_key_after_key() -> None:
    first = splitmix64(1, 1)[0]
    second = splitmix64((first + 7) & MASK, 1)[0]
    assert draw(1, 7) == second
    assert draw(1, 7, MASK) == splitmix64((second + MASK) & MASK, 1)[0]
    assert draw(1, 7) != draw(7, 1)


def test_key_is_fnv_1a() -> None:
    assert key_of("") == 0xCBF29CE484222325
    assert key_of("a") == 0xAF63DC4C8601EC8C
    assert key_of("foobar") == 0x85944171F73967E8


def test_units_are_the_scalar_draws() -> None:
    expected = [(draw(3, key_of("output.weight"), i) >> 11) * 2.0**-53 for i in range(1000)]
    assert torch.equal(units(3, "output.weight", 1000), torch.tensor(expected, dtype=torch.float64))
