"""Files of statistical packages without the time they were written: the same data is the same bytes.

Their writers put the clock into the header, so that a release made again would have another digest. The places are
those of the formats' descriptions: SPSS (PSPP's "System File Format"), Stata (`help dta`), SAS transport (TS-140).
"""

from __future__ import annotations

from pathlib import Path

_SPSS = ((92, b"01 Jan 80"), (101, b"00:00:00"))
_STATA = (b"<timestamp>\x11", b"01 Jan 1980 00:00")
_SAS = b"01JAN80:00:00:00"
_SAS_PLACES = (144, 160, 464, 480)
_HEADER = 4096


def without_time(path: Path) -> None:
    """Put one fixed time in the place of that of writing; other formats have none and stay as they are."""
    suffix = path.suffix.lower()
    if suffix == ".sav":
        places: tuple[tuple[int, bytes], ...] = _SPSS
    elif suffix == ".xpt":
        places = tuple((place, _SAS) for place in _SAS_PLACES)
    elif suffix == ".dta":
        places = _stata_place(path)
    else:
        return
    with path.open("r+b") as file:
        for place, text in places:
            file.seek(place)
            file.write(text)


def _stata_place(path: Path) -> tuple[tuple[int, bytes], ...]:
    """Behind the label of the data set, whose length is not fixed."""
    mark, text = _STATA
    with path.open("rb") as file:
        place = file.read(_HEADER).find(mark)
    return ((place + len(mark), text),) if place >= 0 else ()
