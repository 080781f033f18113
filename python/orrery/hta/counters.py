"""Hardware counters of floating-point instructions, and the operations that each stands for."""

from typing import Dict

CUDA_SASS_INSTRUCTION_COUNTER_FLOPS: Dict[str, float] = {
    f"smsp__sass_thread_inst_executed_op_{kind}{operation}_pred_on.sum": 2 if operation == "fma" else 1
    for kind in "fhd"
    for operation in ("fma", "mul", "add")
}
