"""Which links are worth a fetch now: a poor one waits while good ones come.

A polite crawler takes one page per host and delay. If every host were asked whenever its delay is over, a web with
fewer hosts than connections would be taken host by host at one pace, and no strategy could prefer anything. So the
crawl looks at what links of each priority brought lately; a link that promises much less than the best ones is put off
for as long as better ones are being fetched. Where all links promise the same, nothing is put off and every connection
is used.
"""

from __future__ import annotations

from collections import deque

RECENT = 1000
BLOCKS = 10
ENOUGH = 200


class Choice:
    """Priorities and outcomes of the last fetches. `choosy` 0 puts nothing off, 1 whatever is below the best."""

    def __init__(self, choosy: float) -> None:
        self.choosy = choosy
        self.least = float("-inf")
        self.last_good = float("-inf")
        """When something worth it was last leased."""
        self._seen: deque[tuple[float, bool]] = deque(maxlen=RECENT)

    def saw(self, priority: float, wanted: bool) -> None:
        """What a fetched link had promised, and whether it kept it."""
        self._seen.append((priority, wanted))

    def weigh(self) -> None:
        """Set `least`: the priority below which links bring less than `choosy` times what the upper half brings."""
        self.least = float("-inf")
        if len(self._seen) < ENOUGH or not self.choosy:
            return
        seen = sorted(self._seen)
        size = len(seen) // BLOCKS
        upper = seen[len(seen) // 2 :]
        bar = self.choosy * sum(wanted for _, wanted in upper) / len(upper)
        for start in range(0, len(seen) // 2, size):
            block = seen[start : start + size]
            if sum(wanted for _, wanted in block) >= bar * len(block):
                break
            self.least = seen[start + size][0]

    def takes(self, priority: float, now: float, patience: float) -> bool:
        """Whether a link of that priority is to be fetched now: it is good, or nothing good came for so long."""
        if priority >= self.least:
            self.last_good = now
            return True
        return now - self.last_good > patience
