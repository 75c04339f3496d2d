"""Array type of the analysis modules."""

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
