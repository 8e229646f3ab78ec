#!/bin/sh
# Installs from Debian what building (build) or testing (test) needs and is missing. Without root it prints the one line to run.
set -eu
packages="g++ cmake ninja-build ccache clang-19 lld-19 libfmt-dev libcli11-dev nlohmann-json3-dev libtomlplusplus-dev libzstd-dev liblz4-dev libprotozero-dev libclc-19 opencl-c-headers ocl-icd-opencl-dev libhsa-runtime-dev"
[ "${1:-build}" = test ] && packages="$packages libclang-rt-19-dev chromium-headless-shell libgtest-dev libgmock-dev python3 python3-jsonschema clang-format-14 valgrind gcc-riscv64-linux-gnu g++-riscv64-linux-gnu libc6-dev-riscv64-cross qemu-user slurm-wlm"
# For report.html; node and npm may come from elsewhere than Debian.
command -v node >/dev/null || packages="$packages nodejs"
command -v npm >/dev/null || packages="$packages npm"
missing=""
for package in $packages; do
  dpkg-query -W -f '${Status}' "$package" 2>/dev/null | grep -q 'install ok installed' || missing="$missing $package"
done
[ -z "$missing" ] && exit 0
if [ "$(id -u)" -ne 0 ]; then
  echo "duet: missing Debian packages; run: sudo apt-get install -y --no-install-recommends$missing" >&2
  exit 1
fi
echo "duet: installing$missing"
export DEBIAN_FRONTEND=noninteractive
log=$(mktemp)
{ apt-get update && apt-get install -y --no-install-recommends $missing; } >"$log" 2>&1 || { tail -n 20 "$log" >&2; rm -f "$log"; exit 1; }
rm -f "$log"
