"""How the command is called here, so that what it tells to type next can be typed."""

import os

COMMAND = os.environ.get("LOOKALIKE_COMMAND", "lookalike")
