"""The numbers that the note prints, as far as generated webs are matched to them or compared with them."""

from __future__ import annotations

# Table 5: set 1, weight 250.
TABLE_5 = {"processed": 36568, "unique": 35327, "duplicate": 1441, "static": 22402, "dynamic": 14166, "parsed": 28293,
                   "persian": 5233}  # fmt: skip
# Tables 2-4: (weight, parsed, Persian); None where a digit is lost.
TABLE_2 = ((0, 28777, 4926), (250, 28293, 5233), (500, 28831, 5968))
TABLE_3 = ((0, 12750, 4482), (250, None, 8008), (500, 10066, 5968))
TABLE_4 = ((0, 24809, 11095), (500, 22783, 14886))
# The audit: 100 links, 50 .ir, 48 .com.
DOMAINS = {"ir": 0.50, "com": 0.48}
