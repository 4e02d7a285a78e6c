"""What the head of a page says about its content: title, description, and an article body in JSON-LD."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt


@dataclass(frozen=True, slots=True)
class Evidence:
    """Texts that a page declares beside its visible text; each is only compared with what is visible."""

    title: str = ""
    description: str = ""
    record: str = ""

    @property
    def record_share(self) -> float:
        """1 when the page carries an article body of some length, otherwise 0."""
        return float(len(self.record) > 200)

    def match(self, texts: list[str]) -> npt.NDArray[np.float32]:
        """Per block: is it the title, does it stand in the description, does it stand in the declared body."""
        title, description, record = squeeze(self.title), squeeze(self.description), squeeze(self.record)
        rows = []
        for text in texts:
            is_title = in_description = in_record = False
            if title or description or record:
                key = squeeze(text[:300])
                if len(key) > 8:
                    is_title = bool(title) and (key in title or title in key) and len(key) < 2 * len(title) + 10
                    in_description = bool(description) and (key in description or description[:60] in key)
                    in_record = bool(record) and key[:120] in record
            rows.append((is_title, in_description, in_record))
        return np.array(rows, dtype=np.float32).reshape(-1, 3)


def squeeze(text: str) -> str:
    """`text` in lower case without blanks: what two writings of one sentence share."""
    return "".join(text.split()).lower()
