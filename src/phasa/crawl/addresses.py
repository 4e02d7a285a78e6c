"""Parts of an already normalised URL, by slicing: a strategy looks at millions of links and needs no full parser."""

from __future__ import annotations


def host_of(url: str) -> str:
    """The host with its port, as it stands in a normalised http(s) URL; '' for anything else."""
    start = url.find("://")
    if start < 0:
        return ""
    end = url.find("/", start + 3)
    return url[start + 3 :] if end < 0 else url[start + 3 : end]


def tld_of(host: str) -> str:
    """The last label of a host name, without a port: 'th' for 'www.ku.ac.th:8080'; '' for a number address."""
    name = host.partition(":")[0] if not host.startswith("[") else ""
    label = name.rpartition(".")[2]
    return "" if label.isdigit() else label
