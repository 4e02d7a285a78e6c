"""Instruments: generated webs, stored graphs, replay, comparison of strategies and reports."""
