#!/usr/bin/env python3
"""How far the times of a capture are from the truth, before and after an alignment.

  alignment_error.py TRUTH.json RECORDED_DIR ALIGNED_DIR

The truth is what skew_capture.py wrote; nothing but this script reads it. Node 0 has the reference clock, which shows true time.
"""
import json
import os
import sys

import xspace_wire as wire


def starts_ns(path):
    """Unix ns of the start of every event, in file order."""
    space = wire.load(path)
    zero = wire.profile_start_ns(space)
    for plane in wire.planes(space):
        for key, value in plane:
            if key != wire.PLANE_LINE:
                continue
            line = wire.fields(value)
            anchor = zero + wire.signed(wire.get(line, wire.LINE_TIMESTAMP))
            for number, event in line:
                if number == wire.LINE_EVENT:
                    yield anchor, wire.get(wire.fields(event), wire.EVENT_OFFSET) / 1e3


def true_time(clock, anchor_ns, offset_ns):
    """The moment at which the clock showed a reading, ns since its origin."""
    reading = anchor_ns - clock["origin_unix_ns"] + offset_ns
    rate = clock["drift_ppm"] * 1e-6
    step_at = clock["step_at_unix_ns"] - clock["origin_unix_ns"]
    before = (reading - clock["offset_ns"]) / (1 + rate)
    after = (reading - clock["offset_ns"] - clock["step_ns"]) / (1 + rate)
    return after if after >= step_at else before


def main():
    truth_path, recorded, aligned = sys.argv[1:]
    with open(truth_path) as file:
        clocks = json.load(file)["clocks"]
    before, after = [], []
    for clock in clocks[1:]:
        name = f"node{clock['node']}.xplane.pb.gz"
        origin = clock["origin_unix_ns"]
        for (old_anchor, old), (new_anchor, new) in zip(starts_ns(os.path.join(recorded, name)), starts_ns(os.path.join(aligned, name))):
            t = true_time(clock, old_anchor, old)
            before.append(abs(old_anchor - origin + old - t))
            after.append(abs(new_anchor - origin + new - t))
    for label, errors in (("as recorded", before), ("aligned", after)):
        errors.sort()
        print(f"{label:12} true error of {len(errors):,} events: mean {sum(errors) / len(errors) / 1e3:.2f} us, "
              f"95 % below {errors[len(errors) * 95 // 100] / 1e3:.2f} us, largest {errors[-1] / 1e3:.2f} us")


if __name__ == "__main__":
    main()
