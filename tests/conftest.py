"""What every test shares: property tests look at the same cases every time, so that a failure is the change's own.

`HYPOTHESIS_PROFILE=random` looks at new ones.
"""

import os

from hypothesis import settings

settings.register_profile("repeatable", derandomize=True)
settings.register_profile("random")
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "repeatable"))
