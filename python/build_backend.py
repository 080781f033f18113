"""Makes the wheel of the Python module (PEP 517): CMake builds, this packs. Uses nothing but the standard library, so that pip needs no network.

ORRERY_PYTHON_BUILD names a finished build folder whose python/orrery is to be packed as it is.
"""

import base64
import hashlib
import os
import re
import subprocess
import sys
import sysconfig
import tarfile
import zipfile

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
SUFFIX = sysconfig.get_config_var("EXT_SUFFIX")
SUMMARY = "What bounds a step of a distributed job, and what would happen if it were otherwise"
# Descriptions that verbs call by name (src/job/shipped/shipped_folder.h); src/cli/CMakeLists.txt installs the same.
SHIPPED = ("machines", "devices", "models", "frameworks", "clusters", "benchmarks", "accuracy", "llm", "rules")
# The same time in every wheel: the same files are the same bytes.
MOMENT = (2026, 1, 1, 0, 0, 0)


def _version():
    with open(os.path.join(ROOT, "CMakeLists.txt"), encoding="utf-8") as file:
        return re.search(r"project\(orrery VERSION ([0-9.]+)", file.read()).group(1)


def _tag():
    interpreter = f"cp{sys.version_info.major}{sys.version_info.minor}"
    platform = sysconfig.get_platform().replace("-", "_").replace(".", "_")
    return f"{interpreter}-{interpreter}-{platform}"


def _cached_python(build):
    """The suffix of extensions that a build folder makes, by what lies in it."""
    package = os.path.join(build, "python", "orrery")
    names = os.listdir(package) if os.path.isdir(package) else []
    return next((name[len("_engine"):] for name in names if name.startswith("_engine.") and name.endswith(".so")), None)


def _build():
    """Builds the package for this interpreter and returns its folder."""
    given = os.environ.get("ORRERY_PYTHON_BUILD")
    if given:
        return os.path.join(given, "python", "orrery")
    # What `make build` made is used again if it is for the same Python.
    usual = os.path.join(ROOT, "build")
    build = usual if _cached_python(usual) == SUFFIX else os.path.join(ROOT, f"build-python-{sys.implementation.cache_tag}")
    if build != usual:
        subprocess.run(["cmake", "-S", ROOT, "-B", build, "-DCMAKE_BUILD_TYPE=Release", "-DORRERY_TESTS=OFF", f"-DPython_EXECUTABLE={sys.executable}"]
                       + (["-G", "Ninja"] if _has_ninja() else []), check=True)
    subprocess.run(["cmake", "--build", build, "--parallel", "--target", "orrery_python"], check=True)
    package = os.path.join(build, "python", "orrery")
    if _cached_python(build) != SUFFIX:
        raise SystemExit("orrery: the extension was not built: pybind11 and Python's headers are needed (Debian: pybind11-dev python3-dev)")
    return package


def _has_ninja():
    return any(os.access(os.path.join(folder, "ninja"), os.X_OK) for folder in os.environ.get("PATH", "").split(os.pathsep))


def _files_below(folder):
    return [os.path.relpath(os.path.join(place, file), folder) for place, _, files in os.walk(folder) for file in files]


def _metadata():
    return f"Metadata-Version: 2.1\nName: orrery\nVersion: {_version()}\nSummary: {SUMMARY}\nRequires-Python: >=3.9\nRequires-Dist: numpy\n"


def get_requires_for_build_wheel(config_settings=None):
    return []


def get_requires_for_build_sdist(config_settings=None):
    return []


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    package = _build()
    info = f"orrery-{_version()}.dist-info"
    name = f"orrery-{_version()}-{_tag()}.whl"
    wanted = sorted(file for file in _files_below(package) if file.endswith((".py", ".pyi", ".typed", SUFFIX)))
    contents = {f"orrery/{file}": open(os.path.join(package, file), "rb").read() for file in wanted}
    for kind in SHIPPED:
        data = os.path.join(ROOT, "data", kind)
        for file in sorted(_files_below(data)):  # devices have folders of tables
            contents[f"orrery/data/{kind}/{file}"] = open(os.path.join(data, file), "rb").read()
    contents[f"{info}/METADATA"] = _metadata().encode()
    contents[f"{info}/WHEEL"] = f"Wheel-Version: 1.0\nGenerator: orrery\nRoot-Is-Purelib: false\nTag: {_tag()}\n".encode()
    record = [f"{path},sha256={base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b'=').decode()},{len(data)}" for path, data in contents.items()]
    contents[f"{info}/RECORD"] = "\n".join([*record, f"{info}/RECORD,,", ""]).encode()
    with zipfile.ZipFile(os.path.join(wheel_directory, name), "w", zipfile.ZIP_DEFLATED) as wheel:
        for path, data in contents.items():
            entry = zipfile.ZipInfo(path, MOMENT)
            entry.external_attr = (0o100755 if path.endswith(".so") else 0o100644) << 16
            entry.compress_type = zipfile.ZIP_DEFLATED
            wheel.writestr(entry, data)
    return name


def build_sdist(sdist_directory, config_settings=None):
    """The checkout as git knows it."""
    name = f"orrery-{_version()}.tar.gz"
    listed = subprocess.run(["git", "-C", ROOT, "ls-files", "-z"], check=True, stdout=subprocess.PIPE).stdout.decode()
    with tarfile.open(os.path.join(sdist_directory, name), "w:gz") as archive:
        for path in filter(None, listed.split("\0")):
            archive.add(os.path.join(ROOT, path), f"orrery-{_version()}/{path}")
    return name
