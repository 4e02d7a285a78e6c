"""Server addresses: one request at a time, a rest after each, and a waiting line of hosts for those that are busy."""

from __future__ import annotations

IN_USE = float("inf")
FREE = float("-inf")


class Addresses:
    """When each server address may be asked. `delay` is the rest after a request; 0 makes every address always free."""

    MOST = 10_000
    WOKEN = (
        4  # hosts that are woken when an address is free again: one has its turn, the others only in case it has not
    )

    def __init__(self, delay: float) -> None:
        self._delay = delay
        self._free_at: dict[str, float] = {}
        self._line: dict[str, list[int]] = {}

    def free_at(self, address: str, now: float) -> float:
        """0 when the address may be asked now; else when, `IN_USE` while nobody knows."""
        time = self._free_at.get(address, FREE)
        return time if time > now else 0.0

    def use(self, address: str) -> None:
        """A request goes out."""
        if self._delay:
            self._free_at[address] = IN_USE

    def queue(self, address: str, host: int) -> None:
        """A host wants to know when the address is free."""
        line = self._line.setdefault(address, [])
        if host not in line:
            line.append(host)

    def release(self, address: str, asked: float | None, now: float) -> tuple[float, list[int]]:
        """The request ended, at `asked`, or never went out. When the address is free again, and who waited for that."""
        if not self._delay:
            return now, []
        time = now if asked is None else asked + self._delay
        self._free_at[address] = time
        if len(self._free_at) > self.MOST:
            self._free_at = {name: until for name, until in self._free_at.items() if until > now}
        line = self._line.get(address, [])
        woken, rest = line[: self.WOKEN], line[self.WOKEN :]
        if rest:
            self._line[address] = rest
        else:
            self._line.pop(address, None)
        return time, woken
