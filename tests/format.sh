#!/bin/sh
# Every C++ file is as clang-format 14 writes it. Skipped (77) where that is not installed.
cd "$1"
formatter=$(command -v clang-format-14 || command -v clang-format) || { echo "clang-format is not here"; exit 77; }
git ls-files 'src/*.cpp' 'src/*.h' 'runtime/*.cpp' 'tests/*.cpp' 'tests/*.h' | xargs "$formatter" --dry-run --Werror
