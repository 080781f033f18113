"""Where the package says what HTA logs."""

import logging

logger = logging.getLogger("orrery.hta")
logger.addHandler(logging.NullHandler())  # nothing reaches the streams unless the program asks for it
