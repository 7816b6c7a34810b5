"""AdamW, elementwise: a piece of a parameter is updated as the whole, and small gradients are not lost."""

import torch
from bits import drawn, same
from ordercheck_pytorch.program.exact.install import exact_kernels


def trained(parameter: torch.Tensor, gradients: list[torch.Tensor], fused: bool) -> torch.Tensor:
    parameter = parameter.clone().requires_grad_()
    optimizer = torch.optim.AdamW(
        [parameter], lr=0.01, betas=(0.9, 0.95), weight_decay=0.1, fused=fused, foreach=False
    )
    for gradient in gradients:
        parameter.grad = gradient.clone()
        optimizer.step()
    return parameter.detach()


def test_a_piece_is_updated_as_the_whole() -> None:
    parameter, gradients = drawn(7, 13), [drawn(7, 13, seed=seed) for seed in (2, 3, 4)]
    for fused in (True, False):
        with exact_kernels(20):
            whole = trained(parameter, gradients, fused)
            pieces = [
                trained(parameter[:, at : at + 3], [g[:, at : at + 3] for g in gradients], fused)
                for at in range(0, 13, 3)
            ]
        assert same(torch.cat(pieces, 1), whole)


def test_small_gradients_count() -> None:
    """The square of such a gradient is far below the grids: a second moment of 0 would make a step a thousand times as long."""
    parameter, gradients = drawn(50), [drawn(50, seed=seed, scale=1e-7) for seed in (2, 3)]
    for fused in (True, False):
        with exact_kernels(20):
            exact = trained(parameter, gradients, fused)
        torch.testing.assert_close(exact, trained(parameter, gradients, fused), rtol=1e-12, atol=1e-12)
