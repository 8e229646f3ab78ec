# make demo: install what is missing, build, compile a CUDA program, run it. make test: build and run every test.
BUILD ?= build
JOBS ?= $(shell nproc)
# A test that computes takes two places, one that mostly sleeps one (tests/CMakeLists.txt).
CTEST_JOBS = $(shell expr 2 \* $(JOBS))
# OFF: `make test` leaves out the unit tests, as .ci/run does, which has built them with the sanitizers.
UNIT_TESTS ?= ON
# A second clone finds what the first one compiled.
export CCACHE_BASEDIR := $(CURDIR)
export CCACHE_NOHASHDIR := 1
# make fuzz: the readers of untrusted input under libFuzzer.
.PHONY: all build demo test test-build test-quick test-night sanitize tsan fuzz deps deps-test format clean install
all: build

deps:
	@tools/install_dependencies.sh build
deps-test:
	@tools/install_dependencies.sh test

build: deps
	@cmake --preset release -B $(BUILD) -DDUET_TESTS=OFF >/dev/null
	@cmake --build $(BUILD) -j $(JOBS)

demo: build
	@tools/demo.sh $(BUILD)

test-build: deps-test
	@cmake --preset release -B $(BUILD) -DDUET_TESTS=ON -DDUET_UNIT_TESTS=$(UNIT_TESTS) >/dev/null
	@cmake --build $(BUILD) -j $(JOBS)
test: test-build
	@ctest --test-dir $(BUILD) --output-on-failure -j $(CTEST_JOBS) -LE night

# A minute: unit tests and what is as quick. All: what takes hours, too.
test-quick: test-build
	@ctest --test-dir $(BUILD) --output-on-failure -j $(CTEST_JOBS) -L 'unit|quick'
test-night: test-build
	@ctest --test-dir $(BUILD) --output-on-failure -j $(CTEST_JOBS)

# The unit and component tests again, under AddressSanitizer and UndefinedBehaviorSanitizer.
sanitize: deps-test
	@cmake --preset asan -B $(BUILD)-asan >/dev/null
	@cmake --build $(BUILD)-asan -j $(JOBS) --target unit_tests
	@ctest --test-dir $(BUILD)-asan --output-on-failure -j $(CTEST_JOBS) -L unit

# Components ticked on two threads, under ThreadSanitizer: the unit tests of the engine, and small kernels against one thread.
tsan: deps-test
	@cmake --preset tsan -B $(BUILD)-tsan >/dev/null
	@cmake --build $(BUILD)-tsan -j $(JOBS) --target duet test_unit_sim test_component
	@ctest --test-dir $(BUILD)-tsan --output-on-failure -j $(CTEST_JOBS) -R '^(threads\.|unit_sim$$|component$$)'

# libFuzzer on what reads untrusted input, FUZZ_SECONDS each.
FUZZ_SECONDS ?= 60
fuzz: deps-test
	@cmake --preset fuzz -B $(BUILD)-fuzz >/dev/null
	@cmake --build $(BUILD)-fuzz -j $(JOBS) --target fuzzers
	@tests/fuzz/readers.py $(BUILD)-fuzz/tests/fuzz/targets --seconds $(FUZZ_SECONDS)

format:
	@git ls-files '*.cpp' '*.h' | xargs clang-format -i

install: build
	@cmake --install $(BUILD)

clean:
	rm -rf $(BUILD) $(BUILD)-asan $(BUILD)-tsan $(BUILD)-fuzz
