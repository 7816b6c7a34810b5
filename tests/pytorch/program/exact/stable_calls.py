"""A way to call each operator of the table's class stable: every tensor among the arguments is an element's operand."""

from __future__ import annotations

from typing import Any

X, Y, Z = "x", "y", "z"  # operands
P, Q = "p", "q"  # positive ones
N, M = "n", "m"  # small whole ones, int64
U = "u"  # within -1 and 1

ONE: tuple[tuple[Any, ...], ...] = ((X,),)
TWO: tuple[tuple[Any, ...], ...] = ((X, Y),)
WITH_NUMBER: tuple[tuple[Any, ...], ...] = ((X, Y), (X, 0.7))

ELSEWHERE = {"native_dropout_backward"}  # takes a mask: dropout_test.py

# Arguments by position; a dict at the end is by keyword. In-place kin (name_) is called alike.
CALLS: dict[str, tuple[tuple[Any, ...], ...]] = {
    "sub": (*WITH_NUMBER, (X, Y, {"alpha": 0.3}), (X, N)),
    "rsub": (*WITH_NUMBER, (X, Y, {"alpha": 0.3})),
    "div": (
        *WITH_NUMBER,
        (X, Y, {"rounding_mode": "floor"}),
        (X, 0.3, {"rounding_mode": "trunc"}),
        (X, N),
    ),
    "addcmul": ((X, Y, Z), (X, Y, Z, {"value": 0.3})),
    "addcdiv": ((X, Y, Z), (X, Y, Z, {"value": 0.3})),
    "lerp": ((X, Y, 0.3), (X, Y, 0.7), (X, Y, U)),
    "log": ((P,),),
    "log1p": ((P,), (U,)),
    "rsqrt": ((P,),),
    "clamp": ((X, -0.5, 0.5), (X, Y, None)),
    "clamp_min": WITH_NUMBER,
    "clamp_max": WITH_NUMBER,
    "threshold": ((X, 0.3, -1.0),),
    "threshold_backward": ((X, Y, 0.3),),
    "leaky_relu": ((X, 0.3),),
    "leaky_relu_backward": ((X, Y, 0.3, False),),
    "hardtanh": ((X, -0.7, 0.9),),
    "hardtanh_backward": ((X, Y, -0.7, 0.9),),
    "round": ((X,), (X, {"decimals": 2})),
    "copysign": WITH_NUMBER,
    "heaviside": TWO,
    "log_sigmoid_backward": ((X, Y, Q),),
    "polar": ((P, X),),
    "bitwise_left_shift": ((N, M),),
    "bitwise_right_shift": ((N, M),),
    "remainder": WITH_NUMBER,
    "fmod": WITH_NUMBER,
    "floor_divide": WITH_NUMBER,
    "_prelu_kernel": TWO,
    "mse_loss_backward": ((X, Y, Z, 2),),
    "huber_loss_backward": ((X, Y, Z, 2, 0.7),),
    **dict.fromkeys(
        ("tanh_backward", "sigmoid_backward", "hardswish_backward", "hardsigmoid_backward"), TWO
    ),
    **dict.fromkeys(
        (
            *("neg", "abs", "reciprocal", "exp", "expm1", "sin", "cos", "tanh", "erf", "sign", "sgn", "relu"),
            *("hardswish", "hardsigmoid", "floor", "ceil", "trunc", "frac", "log_sigmoid_forward", "angle"),
        ),
        ONE,
    ),
}  # fmt: skip


def calls_of(name: str) -> tuple[tuple[Any, ...], ...] | None:
    return CALLS.get(name) or CALLS.get(name.removesuffix("_"))
