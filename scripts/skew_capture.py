#!/usr/bin/env python3
"""Makes data/jax_skewed4: cuts a window out of a capture of processes that share one clock, and gives every process a clock of its own.

  skew_capture.py --output data/jax_skewed4 [--begin 6] [--seconds 5.6] node0.xplane.pb.gz ...

Every event is kept that lies in the window, but for those of the thread pool's own bookkeeping. Its start and end become what the process's
new clock shows; `truth.json` says what that is:

  reading = t + offset_ns + drift_ppm * 1e-6 * (t - origin) + (step_ns if t >= step_at)      all in Unix ns
"""
import argparse
import gzip
import json
import os

import xspace_wire as wire

CLOCKS = [  # offset, drift, step, seconds into the window at which the step is
    dict(offset_ns=0, drift_ppm=0.0, step_ns=0, step_at_s=0.0),
    dict(offset_ns=3_217_450, drift_ppm=18.4, step_ns=0, step_at_s=0.0),
    dict(offset_ns=-4_730_912, drift_ppm=-27.3, step_ns=0, step_at_s=0.0),
    dict(offset_ns=1_090_337, drift_ppm=8.9, step_ns=350_000, step_at_s=2.7),
]
DROPPED = "ThreadpoolListener::"


class Clock:
    """Moments are ps since `origin_ns`, a Unix time."""

    def __init__(self, origin_ns, offset_ns, drift_ppm, step_ns, step_at_s):
        self.truth = dict(origin_unix_ns=origin_ns, offset_ns=offset_ns, drift_ppm=drift_ppm, step_ns=step_ns,
                          step_at_unix_ns=origin_ns + round(step_at_s * 1e9))

    def read_ps(self, t_ps):
        reading = t_ps + self.truth["offset_ns"] * 1000 + round(self.truth["drift_ppm"] * 1e-6 * t_ps)
        stepped = t_ps >= (self.truth["step_at_unix_ns"] - self.truth["origin_unix_ns"]) * 1000
        return reading + (self.truth["step_ns"] * 1000 if stepped else 0)


def skewed_line(line, start_ns, new_start_ns, origin_ns, window_ps, dropped, clock):
    anchor = start_ns + wire.signed(wire.get(line, wire.LINE_TIMESTAMP)) - origin_ns  # ns since the origin
    moments = []
    for key, value in line:
        if key != wire.LINE_EVENT:
            continue
        event = wire.fields(value)
        begin = anchor * 1000 + wire.get(event, wire.EVENT_OFFSET)
        end = begin + wire.get(event, wire.EVENT_DURATION)
        if begin < 0 or end > window_ps or wire.get(event, wire.EVENT_METADATA_ID) in dropped:
            continue
        moments.append((event, clock.read_ps(begin), clock.read_ps(end)))
    if not moments:
        return None
    zero = min(begin for _, begin, _ in moments) // 1000  # ns since the origin, on the new clock
    kept = [(key, value) for key, value in line if key != wire.LINE_EVENT]
    kept = wire.replaced(kept, wire.LINE_TIMESTAMP, origin_ns + zero - new_start_ns)
    for event, begin, end in moments:
        event = wire.replaced(event, wire.EVENT_OFFSET, begin - zero * 1000)
        if wire.get(event, wire.EVENT_DURATION) != 0:
            event = wire.replaced(event, wire.EVENT_DURATION, end - begin)
        kept.append((wire.LINE_EVENT, wire.message(event)))
    return kept


def skewed_plane(plane, start_ns, new_start_ns, origin_ns, window_ps, clock):
    dropped = {key for key, name in wire.names(plane, wire.PLANE_EVENT_METADATA).items() if name.startswith(DROPPED)}
    stat_names = wire.names(plane, wire.PLANE_STAT_METADATA)
    out = []
    for key, value in plane:
        if key == wire.PLANE_LINE:
            line = skewed_line(wire.fields(value), start_ns, new_start_ns, origin_ns, window_ps, dropped, clock)
            if line is not None:
                out.append((key, wire.message(line)))
            continue
        if key == wire.PLANE_STAT:
            stat = wire.fields(value)
            name = stat_names.get(wire.get(stat, wire.STAT_METADATA_ID))
            if name == "profile_start_time":
                value = wire.message(wire.replaced(stat, wire.STAT_UINT64, new_start_ns))
            elif name == "profile_stop_time":
                value = wire.message(wire.replaced(stat, wire.STAT_UINT64, origin_ns + clock.read_ps(window_ps) // 1000))
        out.append((key, value))
    return out


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--output", required=True)
    parser.add_argument("--begin", type=float, default=6, help="seconds after the start of the first file's profile")
    parser.add_argument("--seconds", type=float, default=5.6)
    parser.add_argument("files", nargs=len(CLOCKS))
    args = parser.parse_args()
    os.makedirs(args.output, exist_ok=True)
    origin_ns, truths = None, []
    for number, (path, parameters) in enumerate(zip(args.files, CLOCKS)):
        space = wire.load(path)
        start_ns = wire.profile_start_ns(space)
        origin_ns = origin_ns or start_ns + round(args.begin * 1e9)
        clock = Clock(origin_ns, **parameters)
        window_ps = round(args.seconds * 1e12)
        new_start_ns = origin_ns + clock.read_ps(0) // 1000
        out = [(key, wire.message(skewed_plane(wire.fields(value), start_ns, new_start_ns, origin_ns, window_ps, clock)) if key == wire.XSPACE_PLANE else value)
               for key, value in space]
        with open(os.path.join(args.output, f"node{number}.xplane.pb.gz"), "wb") as raw, gzip.GzipFile("", "wb", 9, raw, mtime=0) as file:
            file.write(wire.message(out))
        truths.append(dict(node=number, **clock.truth))
    with open(os.path.join(args.output, "truth.json"), "w") as file:
        json.dump(dict(reading="t + offset_ns + drift_ppm * 1e-6 * (t - origin_unix_ns) + (step_ns if t >= step_at_unix_ns)", clocks=truths), file, indent=1)
        file.write("\n")


if __name__ == "__main__":
    main()
