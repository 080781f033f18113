"""XSpace files at the level of protobuf fields, with Python alone: just enough for scripts that move or compare times.

docs/formats/xspace.md has the messages. A message is a list of (field number, value); a value is an int (varint) or bytes (all else).
"""
import gzip

XSPACE_PLANE = 1
PLANE_NAME, PLANE_LINE, PLANE_EVENT_METADATA, PLANE_STAT_METADATA, PLANE_STAT = 2, 3, 4, 5, 6
LINE_TIMESTAMP, LINE_EVENT, LINE_DURATION = 3, 4, 9
EVENT_METADATA_ID, EVENT_OFFSET, EVENT_DURATION = 1, 2, 3
STAT_METADATA_ID, STAT_UINT64 = 1, 3


def varint(data, at):
    value = shift = 0
    while True:
        byte = data[at]
        at += 1
        value |= (byte & 127) << shift
        if byte < 128:
            return value, at
        shift += 7


def fields(data):
    """The fields of a message in order."""
    found, at = [], 0
    while at < len(data):
        key, at = varint(data, at)
        kind = key & 7
        if kind == 0:
            value, at = varint(data, at)
            found.append((key >> 3, value))
            continue
        size, at = varint(data, at) if kind == 2 else (8 if kind == 1 else 4, at)
        found.append((key >> 3, bytes(data[at:at + size]) if kind == 2 else (kind, bytes(data[at:at + size]))))
        at += size
    return found


def put_varint(value):
    out = bytearray()
    while value > 127:
        out.append(value & 127 | 128)
        value >>= 7
    out.append(value)
    return bytes(out)


def message(found):
    """The bytes of a message whose fields are these."""
    out = bytearray()
    for number, value in found:
        if isinstance(value, int):
            out += put_varint(number << 3) + put_varint(value)
        elif isinstance(value, tuple):
            out += put_varint(number << 3 | value[0]) + value[1]
        else:
            out += put_varint(number << 3 | 2) + put_varint(len(value)) + value
    return bytes(out)


def get(found, number, missing=0):
    return next((value for key, value in found if key == number), missing)


def replaced(found, number, value):
    """The fields with another value for one of them, which need not be there yet."""
    if any(key == number for key, _ in found):
        return [(key, value if key == number else old) for key, old in found]
    return found + [(number, value)]


def signed(value):
    """What a varint says as int64."""
    return value - (1 << 64) if value >= 1 << 63 else value


def names(plane, number):
    """id -> name of the event metadata or stat metadata of a plane (fields of it)."""
    table = {}
    for key, value in plane:
        if key == number:
            entry = fields(value)
            table[get(entry, 1)] = get(fields(get(entry, 2, b"")), 2, b"").decode("utf-8", "replace")
    return table


def load(path):
    opened = gzip.open(path, "rb") if path.endswith(".gz") else open(path, "rb")
    with opened as file:
        return fields(file.read())


def planes(space):
    return [fields(value) for key, value in space if key == XSPACE_PLANE]


def plane_name(plane):
    return get(plane, PLANE_NAME, b"").decode()


def profile_start_ns(space):
    """Unix ns that the times of the lines count from."""
    for plane in planes(space):
        if plane_name(plane) != "Task Environment":
            continue
        wanted = [key for key, name in names(plane, PLANE_STAT_METADATA).items() if name == "profile_start_time"]
        for key, value in plane:
            if key == PLANE_STAT and get(fields(value), STAT_METADATA_ID) in wanted:
                return get(fields(value), STAT_UINT64)
    raise SystemExit("there is no profile_start_time in this file")
