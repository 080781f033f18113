# The usual steps by name; CMake does the work (see CMakePresets.json). ORRERY_SKIP_SETUP=1 leaves the system's packages alone.
PREFIX ?= /usr/local
FUZZ_SECONDS ?= 600
SEED ?= 1
CASES ?= 1000

.PHONY: help setup build program test demo documents bench buildtimes accuracy judge browser web-test fuzz format lint properties install package packagetest clean asan tsan
.DEFAULT_GOAL := build

help: ## this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  make %-10s %s\n", $$1, $$2}' Makefile

setup: ## install what is missing to build and test (Debian, Ubuntu)
	@scripts/setup.sh build

build: setup ## binary and libraries: build/orrery, build/liborrery.so and, with MPI and pybind11, build/liborrery_mpi.so, liborrery_processes.so and build/python
	@scripts/setup.sh python || echo "build: without pybind11 and Python's headers, the Python module is not built"
	cmake --preset release && cmake --build --preset release --target orrery orrery_share orrery_api orrery_mpi orrery_processes orrery_replay_plugin orrery_python

test: setup ## build everything and run all tests
	@scripts/setup.sh python || echo "test: without pybind11 and Python's headers, the Python module is not built and its tests are skipped"
	@scripts/setup.sh mpi || echo "test: without MPI, its tracer is not built and its tests are skipped"
	cmake --preset release && cmake --build --preset release && ctest --test-dir build -j "$$(nproc)" --output-on-failure

properties: test ## property tests once more, with CASES (1000) other cases each; SEED repeats them
	RC_PARAMS="seed=$(if $(filter file,$(origin SEED)),$$(od -An -N4 -tu4 /dev/urandom | tr -d ' '),$(SEED)) max_success=$(CASES)" \
	  ctest --test-dir build -j "$$(nproc)" --output-on-failure

program: setup ## the binary alone: build/orrery
	cmake --preset release && cmake --build --preset release --target orrery

demo: program ## the whole way from traces to answers, on the traces in data/
	@scripts/demo.sh

documents: program ## hold the examples of docs/ against what the program prints; DOCUMENTS=--update corrects them
	scripts/document_examples.py build/orrery $(DOCUMENTS)

bench: setup ## measure speed and memory; writes docs/PERFORMANCE.md
	@scripts/setup.sh bench
	cmake --preset release -DORRERY_BENCH=ON && cmake --build --preset release && scripts/bench.sh

buildtimes: setup ## measure how long demo and test take from nothing (a quarter of an hour); writes both into docs/PERFORMANCE.md
	scripts/build_times.sh

accuracy: build ## measure the residuals and the errors of alignment; writes docs/ACCURACY.md
	cmake --build --preset release --target alignment_accuracy && scripts/accuracy.sh

judge: setup ## hold the network model against SimGrid, which is installed for it; SEED (1) chooses the messages
	@scripts/setup.sh judge
	cmake --preset release && cmake --build --preset release --target simgrid_judge && build/tests/judge/simgrid_judge --seed $(SEED)

browser: build ## use reports, and open overlays in the viewer of chrome://tracing, in Chromium, which is installed for it
	@scripts/setup.sh browser
	python3 tests/browser/report_test.py build/orrery
	python3 tests/browser/overlay_test.py build/orrery

picture: build ## the README's picture, docs/report.png, as Chromium shows the page
	@scripts/setup.sh browser
	python3 tests/browser/picture.py build/orrery docs/report.png

web-test: ## check the types of the page's script and run its unit tests in node
	@scripts/setup.sh web
	scripts/web_test.sh build/tests/web

fuzz: setup ## fuzz every reader for FUZZ_SECONDS (600) with ASan and UBSan
	@scripts/setup.sh fuzz
	cmake --preset fuzz && cmake --build --preset fuzz && scripts/fuzz.sh build-fuzz $(FUZZ_SECONDS)

asan: setup ## all tests with address and undefined-behaviour sanitizers
	cmake --preset asan && cmake --build --preset asan && ctest --preset asan

tsan: setup ## all tests with the thread sanitizer
	cmake --preset tsan && cmake --build --preset tsan && ctest --preset tsan

format: ## lay out the sources with clang-format
	@scripts/setup.sh lint
	scripts/format.sh

lint: build ## clang-format in check mode, clang-tidy on what changed (LINT=--all: on everything), shellcheck where there is one
	@scripts/setup.sh lint
	scripts/lint.sh $(LINT)

install: build ## binary, libraries, headers, Python module, manual page and completions under PREFIX (/usr/local); DESTDIR is honoured
	cmake --install build --prefix $(PREFIX)

package: build ## a Debian package of what was built: build/orrery_VERSION_ARCH.deb
	@scripts/setup.sh package
	scripts/package.sh build

packagetest: package ## install the package into a bare Debian 12 of its own and run it there (needs root and a mirror)
	@scripts/setup.sh packagetest
	scripts/package_test.sh build/orrery_*.deb

clean: ## remove what was built
	rm -rf build build-* demo out
