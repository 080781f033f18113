"""Hardware counters of floating-point instructions, and the operations that each stands for."""

from typing import Any, Dict

import numpy as np

CUDA_SASS_INSTRUCTION_COUNTER_FLOPS: Dict[str, float] = {
    f"smsp__sass_thread_inst_executed_op_{kind}{operation}_pred_on.sum": 2 if operation == "fma" else 1
    for kind in "fhd"
    for operation in ("fma", "mul", "add")
}
# What HTA's call graph says of a counted range, which it takes for work of the device: nothing.
OUTSIDE_CALLS: Dict[str, Any] = {
    "depth": np.int8(-1),
    "height": np.int8(-1),
    "parent": np.int32(-1),
    "num_kernels": np.int8(0),
    "kernel_dur_sum": 0.0,
    "kernel_span": 0.0,
    "first_kernel_start": -1.0,
    "last_kernel_end": -1.0,
}
