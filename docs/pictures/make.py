"""Draw the picture of the README: the report of the demonstration as it stands in a terminal."""

import re
import tempfile
from pathlib import Path

from rich.console import Console

from lookalike.cli.demonstration import demonstrate
from lookalike.report import render

if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        evaluation = demonstrate(Path(folder)).evaluation
    with Path("/dev/null").open("w") as nowhere:
        console = Console(record=True, width=104, file=nowhere, force_terminal=True)
        console.print(render(evaluation))
    svg = console.export_svg(title="lookalike demo")
    svg = re.sub(r"@font-face\s*{[^}]*}", "", svg)  # no request to any host
    (Path(__file__).parent / "assess.svg").write_text(svg, encoding="utf-8")
