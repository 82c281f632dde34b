"""The law of the number of true positives when `draws` of `total` samples are predicted positive blindly.

TP ~ Hypergeometric(total, positives, draws), for totals up to 2**52. Integers only: nothing here knows
of measures or labels.
"""

from clearbar.null.hypergeometric._cuts import cuts, laid_out, pieces
from clearbar.null.hypergeometric.coin import coin_weights, log_heads
from clearbar.null.hypergeometric.nodes import Nodes, node_chunks, node_counts, window
from clearbar.null.hypergeometric.pmf import log_pmf, pmf
from clearbar.null.hypergeometric.quantile import quantile
from clearbar.null.hypergeometric.sampling import sample, subset_mask
from clearbar.null.hypergeometric.support import mode, support, tp_mean, tp_mean_parts, tp_variance
from clearbar.null.hypergeometric.tails import log_tail_ge, log_tail_le, tail_ge, tail_le

__all__ = [
    "Nodes",
    "coin_weights",
    "cuts",
    "laid_out",
    "log_heads",
    "log_pmf",
    "log_tail_ge",
    "log_tail_le",
    "mode",
    "node_chunks",
    "node_counts",
    "pieces",
    "pmf",
    "quantile",
    "sample",
    "subset_mask",
    "support",
    "tail_ge",
    "tail_le",
    "tp_mean",
    "tp_mean_parts",
    "tp_variance",
    "window",
]
