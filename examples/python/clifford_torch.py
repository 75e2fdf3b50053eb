"""A Clifford layer in torch: learns from examples by which multivector, per channel, the input was multiplied.

    python3 examples/python/clifford_torch.py
"""

import torch
from hotloops import clifford


class CliffordLinear(torch.autograd.Function):
    """The layer of `clifford.Layer`, with its gradients."""

    @staticmethod
    def forward(ctx, x, weights, bias, squares):
        ctx.layer = clifford.Layer(squares, weights.detach().numpy(), bias.detach().numpy())
        ctx.save_for_backward(x)
        return torch.from_numpy(ctx.layer(x.detach().numpy()))

    @staticmethod
    def backward(ctx, gy):
        (x,), gy = ctx.saved_tensors, gy.numpy()
        gw, gbias = map(torch.from_numpy, ctx.layer.gradients(x.detach().numpy(), gy))
        return torch.from_numpy(ctx.layer.backward(gy)), gw, gbias, None


def main():
    torch.manual_seed(1)
    squares, channels, blades = (1, 1, 1), 4, 8
    wanted = torch.randn(blades, channels, channels)
    weights = torch.zeros(blades, channels, channels, requires_grad=True)
    bias = torch.zeros(blades, channels, requires_grad=True)
    optimizer = torch.optim.Adam([weights, bias], lr=0.1)
    for step in range(201):
        x = torch.randn(64, channels, blades)
        expected = torch.from_numpy(clifford.Layer(squares, wanted.numpy())(x.numpy()))
        loss = (CliffordLinear.apply(x, weights, bias, squares) - expected).square().mean()
        if step % 50 == 0:
            print(f"step {step}: loss {loss.item():.2e}")
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return loss.item()


if __name__ == "__main__":
    main()
