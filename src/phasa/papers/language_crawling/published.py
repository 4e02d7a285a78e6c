"""The numbers that the thesis prints, as far as generated webs are matched to them or compared with them."""

from __future__ import annotations

# Table 10: label by top-level domain (Thai, other).
TABLE_10 = {
    "com": (20366, 58429),
    "net": (9317, 583),
    "th": (5727, 3164),
    "org": (491, 3763),
    "info": (27, 26),
    "others": (206, 1635),
}
# Table 11: label by character encoding (Thai, other).
TABLE_11 = {
    "tis-620": (15128, 1203),
    "utf-8": (12043, 23674),
    "windows-874": (8551, 1984),
    "iso-8859-1": (289, 38486),
    "windows-1252": (93, 507),
    "us-ascii": (10, 444),
    "iso-8859-11": (3, 3),
    "others": (17, 1299),
}
PAGES, THAI, OTHER = 103734, 36134, 67600
DEPTH = 15
# Table 12: 40,000 pages, each feature alone: predicted Thai and Thai, predicted Thai and other, missed Thai, rest.
TABLE_12 = {
    "a1": (7353, 1082, 544, 31021),
    "a2": (4388, 390, 3509, 31713),
    "a3": (2087, 782, 5810, 31321),
    "a4": (6735, 862, 1162, 31241),
}
TABLE_12_PAGES = 40000
# Table 8: Thai found of 58, false alarms of 494, seconds.
TABLE_8 = {"lexto": (48, 0, 16), "textcat": (29, 0, 306), "libs": (44, 0, 2953)}
# Appendix table 1: 10-fold cross-validation of the knowledge base, in the layout of Table 12.
APPENDIX_1 = (6623, 974, 316, 2087)
