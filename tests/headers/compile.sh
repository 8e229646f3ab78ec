#!/bin/sh
# Compiles every .cu of this folder with Duet's headers, for the device in several targets and for the host, and the
# headers alone as C and C++ with the host compiler. One line a file; exit status 1 if any failed.
# One target of a file, and sm_20 too of atomics.cu and warp.cu, which differ there; with DUET_TEST_WHOLE=1 (make test-night) five.
#   compile.sh [include directory] [more .cu files, for the device alone]
here=$(cd "$(dirname "$0")" && pwd)
include=${1:-$here/../../runtime/cuda/include}
[ $# -gt 0 ] && shift
clang=${CLANGXX:-clang++-19}
once=$(command -v ccache) # what has not changed since an earlier run is not compiled again
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
flags="-x cuda -nocudainc -nocudalib --cuda-path=/nonexistent -std=c++17 -O2 -Wall -Wno-unused-command-line-argument
 -I $include -include cuda_runtime.h -Xclang -target-sdk-version=12.3 -D__DUET__"
failed=0
targets_of() {
  case "${DUET_TEST_WHOLE:-} $(basename "$1")" in
    1*) echo 20 35 60 75 80 ;;
    *atomics.cu | *warp.cu) echo 20 60 ;;
    *) echo 60 ;;
  esac
}

report() {
  if [ "$2" -eq 0 ] && [ ! -s "$work/log" ]; then
    echo "ok   $1"
  else
    echo "FAIL $1"
    head -20 "$work/log"
    failed=1
  fi
}

device() {
  $once "$clang" $flags --cuda-feature=+ptx78 --cuda-gpu-arch=sm_$2 --cuda-device-only -S "$1" -o "$work/$2.ptx" 2>"$work/log"
  report "$(basename "$1") device sm_$2" $?
}

for file in "$here"/*.cu; do
  rm -f "$work/60.ptx"
  for target in $(targets_of "$file"); do device "$file" $target; done
  # Nothing is left to a loader but these four.
  grep -E '^\.extern \.func' "$work/60.ptx" | grep -vE ' (vprintf|malloc|free|__assertfail)( |;|$)' >"$work/log"
  report "$(basename "$file") defines what it uses" 0
  cp "$work/60.ptx" "$work/image" && printf '\0' >>"$work/image"
  # Not by ccache, which does not see that the image has changed.
  "$clang" $flags --cuda-gpu-arch=sm_60 --cuda-host-only -Xclang -fcuda-include-gpubinary -Xclang "$work/image" -c "$file" \
    -o "$work/host.o" 2>"$work/log"
  report "$(basename "$file") host" $?
done
for file in "$@"; do
  for target in 20 35 60 75; do device "$file" $target; done
done

# Only what is used may be in the PTX: one entry, no function, no table but 2/pi.
device "$here/sinf_only.cu" 60
: >"$work/log"
extra=$(grep -E '^\.(visible|extern|weak|func|global)|^\.visible \.func' "$work/60.ptx" | grep -vE 'sinf_only|duet_two_over_pi')
[ -z "$extra" ] || echo "$extra" >"$work/log"
report "sinf_only.cu has nothing unused" 0

for header in cuda_runtime_api.h cuda_runtime.h cuda.h driver_types.h vector_types.h cuda_profiler_api.h duet.h duet_full_empty.h math_constants.h nvToolsExt.h nvtx3/nvToolsExt.h \
  cuda_fp16.h cuda_bf16.h cooperative_groups.h; do
  echo "#include \"$header\"" >"$work/unit.c"
  cp "$work/unit.c" "$work/unit.cpp"
  $once ${CC:-gcc} -std=c11 -Wall -Wextra -Werror -I "$include" -c "$work/unit.c" -o "$work/unit.o" 2>"$work/log"
  report "$header in C" $?
  $once ${CXX:-g++} -std=c++17 -Wall -Wextra -Werror -I "$include" -c "$work/unit.cpp" -o "$work/unit.o" 2>"$work/log"
  report "$header in C++" $?
done
exit $failed
