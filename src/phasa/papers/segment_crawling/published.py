"""The printed numbers of the thesis that experiments on webs with topics are compared with (§6)."""

from __future__ import annotations

TOPICS = ("tourism", "estate", "diving")
TOPIC_G_MEAN = {"tourism": 0.9578, "estate": 0.9481}
PREDICTOR_G_MEAN = {"tourism": 0.873, "estate": 0.886, "diving": 0.856}
# Table 3: topic → (τ, harvest, coverage, F).
TABLE_3 = {
    "tourism": ((0.25, 0.948, 0.916, 0.932), (0.5, 0.966, 0.906, 0.935), (0.75, 0.984, 0.864, 0.92),
                (1.0, 0.995, 0.76, 0.862)),
    "estate": ((0.25, 0.911, 0.855, 0.882), (0.5, 0.917, 0.851, 0.883), (0.75, 0.98, 0.754, 0.852),
               (1.0, 0.991, 0.704, 0.823)),
    "diving": ((0.25, 0.938, 0.937, 0.938), (0.5, 0.978, 0.912, 0.944), (0.75, 0.985, 0.898, 0.939),
               (1.0, 0.995, 0.66, 0.794)),
}  # fmt: skip
# Tables 5–7: what a table conditions on → topic → (share of relevant destinations where it holds, where it does not).
LINK_SHARES: dict[str, dict[str, tuple[float, float]]] = {
    "source": {"tourism": (0.8235, 0.0046), "estate": (0.5939, 0.2201), "diving": (0.6247, 0.0673)},
    "anchor": {"tourism": (0.8373, 0.3755), "estate": (0.6342, 0.4814), "diving": (0.6910, 0.3929)},
    "address": {"tourism": (0.9198, 0.3681), "estate": (0.8041, 0.4581), "diving": (0.8145, 0.4070)},
}
