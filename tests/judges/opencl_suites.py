"""How the programs of published OpenCL suites are compiled, and with which small inputs they run.

    for name, folder, command in programs(source, work):     # "rodinia bfs", work/rodinia/opencl/bfs, ["./bfs.out", ..]
        if command is None: ..                               # it does not compile

`source` holds checkouts at any depth and stays as it is: PolyBench-ACC, Rodinia (yuhc/gpu-rodinia), CHAI, SHOC, Hetero-Mark, the solutions of
Hands-On OpenCL, Boost.Compute. `work` gets copies. Of Boost.Compute every fifth test, by name; its tests of images and OpenGL are not drawn.
"""
import json
import shutil

from limited import call
from opencl_inputs import write_inputs

RODINIA = {
    "b+tree": "./b+tree.out file {inputs}/keys.txt command {inputs}/commands.txt",
    "backprop": "./backprop.out -n 1024",
    "bfs": "./bfs.out {inputs}/graph.txt",
    "cfd": "./euler3d.out ../../../inputs/mesh.txt",  # it takes /t.. for an option
    "dwt2d": "./dwt2d.out picture.rgb -i {inputs} -D 128x128 -f -5 -l 3",
    "gaussian": "./gaussian.out -s 32 -v",
    "heartwall": "./heartwall.out -n 3 -f {inputs}/heart.avi -i {inputs}/heart.txt",
    "hotspot": "./hotspot.out 64 2 4 {inputs}/temp_64 {inputs}/power_64 out.txt",
    "hotspot3D": "./hotspot3D.out -n 64 -l 4 -i 4 -f {inputs}/power_64x4 {inputs}/temp_64x4 out.txt",
    "hybridsort": "./hybridsort.out r",
    "kmeans": "./kmeans.out -o -i {inputs}/points.txt",
    "lavaMD": "./lavaMD.out -boxes1d 2",
    "leukocyte": "./leukocyte.out {inputs}/cells.avi 3",
    "lud": "./lud.out -s 64 -v",
    "nn": "./nn.out {inputs}/storms.txt -r 10 -lat 30 -lng 90 -p 0 -d 0 -f {inputs}",
    "nw": "./nw.out 64 10 ./nw.cl",
    "particlefilter": "./OCL_particlefilter_naive.out -x 32 -y 32 -z 4 -np 500",
    "particlefilter single": "./OCL_particlefilter_single.out -x 32 -y 32 -z 4 -np 500",
    "particlefilter double": "./OCL_particlefilter_double.out -x 32 -y 32 -z 4 -np 500",
    "pathfinder": "./pathfinder.out -c 1000 -r 20 -h 5",
    "srad": "./srad.out -n 4 -l 1 -s 64 64",
    "streamcluster": "./streamcluster.out 3 5 16 512 512 100 none output.txt 1 -p 0 -d 0",
    "myocyte": "./myocyte.out -time 4 -r {inputs}/heart_cell",
}
CHAI = {
    "BFS": "-g 2 -i 64 -l 16 -f {inputs}/map -c {inputs}/levels",
    "BS": "-n 32 -g 8 -a 0.5",
    "CEDD": "-a 0.5",
    "CEDT": "",
    "HSTI": "-n 20480 -g 8 -a 0.5 -b 64",
    "HSTO": "-n 20000 -g 8 -b 64",
    "PAD": "-n 100 -m 100 -e 4 -g 8 -a 0.5",
    "RSCD": "-g 8 -m 40 -a 0.5",
    "RSCT": "-g 8 -m 40",
    "SC": "-n 20000 -g 8 -a 0.5",
    "SSSP": "-g 2 -i 64 -l 16 -f {inputs}/map -c {inputs}/distances",
    "TQ": "-g 8 -i 32 -s 512 -q 64 -n 4",  # its groups are one warp: a larger one asks for a barrier that is not there
    "TQH": "-g 8",
    "TRNS": "-t 0 -m 64 -n 64 -g 8",
}
SHOC_COMMON = "CTimer ResultDatabase OptionParser Option Timer ProgressBar InvalidArgValue Matrix2DStatics"
SHOC_STENCIL = "HostStencil HostStencilFactory StencilFactory InitializeMatrix2D ValidateMatrix2D StencilUtil"
# What SHOC's own configuration would find out, and what its sources take from headers that no longer include it.
SHOC_FLAGS = ("-w -O1 -std=gnu++14 -DHAVE_CLOCK_GETTIME=1 -DHAVE_CLOCK_PROCESS_CPUTIME_ID=1 -Drestrict=__restrict__ -I{src}/common "
              "-I{src}/opencl/common -include {src}/first.h")
SHOC_SIZES = {"Stencil2Dmain": "--customSize 64,64 --lsize 16,16 --num-iters 4"}
HANDS_ON = {
    "Exercise13": "{examples}/Acorn/acorn.dat {examples}/Acorn/input.params 10 10",
    "ExerciseA": "4",
}
HETERO_MARK = {
    "aes": "-i {inputs}/plain.txt -k {inputs}/key.txt",
    "bs": "-x 4096",
    "ep": "-m 3 -x 256",
    "fir": "-x 256 -y 4",
    "ga": "-i {inputs}/sequences.txt",
    "hist": "-x 4096",
    "kmeans": "-i {inputs}/points.txt",
    "pr": "-i {inputs}/pages.txt -m 5",
}
HETERO_MARK_FLAGS = "-w -std=c++11 -O1 -pthread -include memory -include cstring -include iostream -include limits"
BOOST_DRAWN = 5
BOOST_LEFT_OUT = ("image", "opengl", "includes", "pipe")


def shell(line, folder):
    return call(["sh", "-c", line], folder, 300)[0] == 0


def any_device(part, root):
    """Where a program asks for a GPU: pocl's device is a CPU."""
    shell(f"grep -rlI CL_DEVICE_TYPE_GPU {part} | xargs sed -i 's/, *CL_DEVICE_TYPE_GPU/, CL_DEVICE_TYPE_ALL/; s/device_type = CL_DEVICE_TYPE_GPU/device_type = CL_DEVICE_TYPE_ALL/'", root)


def polybench(source, work, inputs):
    for utilities in source.rglob("OpenCL/utilities"):
        for kernel in sorted(utilities.parent.rglob("*.cl")):
            folder = work / "polybench" / kernel.parent.name
            shutil.copytree(kernel.parent, folder, dirs_exist_ok=True)
            built = shell(f"cc -O1 -w -DMINI_DATASET -DRUN_ON_CPU -include string.h -I{utilities} *.c -o app -lOpenCL -lm", folder)
            yield f"polybench {kernel.parent.name}", folder, ["./app"] if built else None


def rodinia(source, work, inputs):
    for opencl in source.rglob("opencl/particlefilter"):
        root = work / "rodinia"
        shutil.copytree(opencl.parent, root / "opencl", dirs_exist_ok=True)
        (root / "none.mk").write_text("")
        any_device("opencl", root)
        # What a program draws is always the same, and backprop shows what it has learnt.
        shell("grep -rlIE 'time\\((NULL|0)\\)' opencl | xargs sed -i -E 's/\\btime\\((NULL|0)\\)/7/'; "
              "sed -i 's/^  bpnn_free(net);/  for (i = 0; i <= 16 * layer_size; ++i) printf(\"%f\\\\n\", net->input_weights[i \\/ 16][i % 16]);\\n&/' opencl/backprop/facetrain.c", root)
        (root / "data/srad").mkdir(parents=True, exist_ok=True)
        shutil.copy(inputs / "speckled.pgm", root / "data/srad/image.pgm")
        wrapped = root / "bin"
        wrapped.mkdir(exist_ok=True)
        # Some of its C++ compares a stream with NULL, or returns nothing where it says that it does; a library of its C is for fixed addresses.
        for compiler, options, last in (("g++", "-std=gnu++98 -DBENCH_PRINT -DTRACEBACK -w", "-O0"), ("gcc", "-fcommon -no-pie -w", "")):
            (wrapped / compiler).write_text(f'#!/bin/sh\nexec /usr/bin/{compiler} {options} "$@" {last}\n')
            (wrapped / compiler).chmod(0o755)
        for name, command in RODINIA.items():
            folder = root / "opencl" / name.split()[0]
            program = command.split()[0]
            shell(f"find . -iname makefile | xargs sed -i 's#^include .*make.config#include {root}/none.mk#'; PATH={wrapped}:$PATH make -k OUTPUT=-DOUTPUT OPENCL_DIR=/usr "
                  "OPENCL_INC=/usr/include OPENCL_LIB=/usr/lib/x86_64-linux-gnu", folder)
            yield f"rodinia {name}", folder, command.format(inputs=inputs).split() if (folder / program).exists() else None


def chai(source, work, inputs):
    for suite in source.rglob("OpenCL-D"):
        for name, options in CHAI.items():
            folder = work / "chai" / name
            shutil.copytree(suite / name, folder, dirs_exist_ok=True)
            built = shell("g++ -w -std=c++11 -O2 -include vector -DOCL_1_2 -DCL_USE_DEPRECATED_OPENCL_1_2_APIS *.cpp -o app -lOpenCL -lpthread", folder)
            yield f"chai {name}", folder, ["./app", "-w", "0", "-r", "1", "-t", "2", *options.format(inputs=inputs).split()] if built else None


def shoc(source, work, inputs):
    for level1 in source.rglob("opencl/level1"):
        src = work / "shoc"
        shutil.copytree(level1.parents[1], src, dirs_exist_ok=True)
        (src / "first.h").write_text("#include <cassert>\n#include <iostream>\n#include <string>\n#include <vector>\nusing namespace std;\n")
        (src / "common/config.h").touch()
        for kernel in src.rglob("*.cl"):  # as its makefiles do
            lines = "\n".join(json.dumps(line + "\n", ensure_ascii=False) for line in kernel.read_text().splitlines())
            kernel.with_name(f"{kernel.stem}_cl.cpp").write_text(f"extern const char* cl_source_{kernel.stem};\nconst char* cl_source_{kernel.stem} =\n{lines};\n")
        compiler = "g++ " + SHOC_FLAGS.format(src=src)
        common = [src / "common" / f"{name}.cpp" for name in SHOC_COMMON.split()]
        common += [file for file in (src / "opencl/common").glob("*.cpp") if file.name != "main.cpp"]
        (src / "lib").mkdir(exist_ok=True)
        shell(f"{compiler} -c {' '.join(map(str, common))} && ar rc libshoc.a *.o", src / "lib")
        mains = [[file] for file in sorted((src / "opencl/level0").glob("*.cpp"))]
        for folder in sorted([*(src / "opencl/level1").iterdir(), *(src / "opencl/level2").iterdir()]):
            parts = [file for file in sorted(folder.glob("*.cpp")) if not file.name.startswith(("tp", "MPI"))]
            if folder.name == "bfs":
                parts.append(src / "common/Graph.cpp")
            if folder.name == "stencil2d":
                parts = [folder / "Stencil2Dmain.cpp", *(part for part in parts if part.name != "Stencil2Dmain.cpp"),
                         *(src / "common" / f"{name}.cpp" for name in SHOC_STENCIL.split())]
            if parts:
                mains.append(parts)
        for parts in mains:
            program = src / "bin" / parts[0].stem
            program.parent.mkdir(exist_ok=True)
            built = shell(f"{compiler} {' '.join(map(str, parts))} {src}/opencl/common/main.cpp {src}/lib/libshoc.a -o {program} -lOpenCL", src)
            yield (f"shoc {parts[0].parent.name if parts[0].parent.name != 'level0' else parts[0].stem}", program.parent,
                   [f"./{program.name}", "-s", "1", "-n", "1", "-d", "0", *SHOC_SIZES.get(program.name, "").split()] if built else None)


def hetero_mark(source, work, inputs):
    for utilities in source.rglob("common/cl_util"):
        root = work / "hetero-mark"
        shutil.copytree(utilities.parents[1], root / "src", dirs_exist_ok=True)
        any_device("src/common", root)
        (root / "lib").mkdir(exist_ok=True)
        shell(f"g++ {HETERO_MARK_FLAGS} -I.. -c $(ls ../src/common/*/*.cc | grep -v _test) && ar rc libcommon.a *.o", root / "lib")
        for name, options in HETERO_MARK.items():
            for version in ("cl12", "cl20"):
                folder = root / "src" / name / version
                if not folder.exists():
                    continue
                built = shell(f"g++ {HETERO_MARK_FLAGS} -I{root} ../*.cc *.cc {root}/lib/libcommon.a -o app -lOpenCL", folder)
                yield f"hetero-mark {name} {version}", folder, ["./app", *options.format(inputs=inputs).split(), "-v"] if built else None


def hands_on(source, work, inputs):
    for common in source.rglob("Solutions/C_common"):
        root = work / "hands-on"
        shutil.copytree(common.parent, root, dirs_exist_ok=True)
        # 1,024 x 1,024 elements are for a GPU of silicon.
        shell("sed -i s/1024/128/ Exercise0[678]/C/matmul.h", root)
        for folder in sorted(root.glob("Exercise*/C")):
            program = folder / "app"
            built = shell("gcc -w -O2 -std=gnu99 -D_GNU_SOURCE -I../../C_common *.c ../../C_common/wtime.c $(grep -l output_device_info *.c | sed 's#.*#../../C_common/device_info.c#') "
                          "-DDEVICE=CL_DEVICE_TYPE_DEFAULT -o app -lOpenCL -lm -fopenmp", folder)
            options = HANDS_ON.get(folder.parent.name, "").format(examples=common.parents[1] / "Exercises/Exercise13/Examples").split()
            yield f"hands-on {folder.parent.name}", program.parent, ["./app", *options] if built else None


def boost_compute(source, work, inputs):
    for tests in source.rglob("test/test_adjacent_difference.cpp"):
        folder = work / "boost"
        folder.mkdir(exist_ok=True)
        drawn = sorted(test for test in tests.parent.glob("test_*.cpp") if not any(word in test.name for word in BOOST_LEFT_OUT))[::BOOST_DRAWN]
        for test in drawn:
            built = shell(f"g++ -w -O0 -std=c++14 -DBOOST_TEST_DYN_LINK -DCL_TARGET_OPENCL_VERSION=200 -I{tests.parents[1]}/include -I{tests.parent} "
                          f"{test} -o {test.stem} -lOpenCL -lboost_unit_test_framework", folder)
            yield f"boost.compute {test.stem.removeprefix('test_')}", folder, [f"./{test.stem}"] if built else None


SUITES = {"polybench": polybench, "rodinia": rodinia, "chai": chai, "shoc": shoc, "hetero-mark": hetero_mark, "hands-on": hands_on,
          "boost.compute": boost_compute}


def programs(source, work, only=""):
    """Name, folder where it runs, command; None: it does not compile. `only`: where it begins with a suite's name, the others are left out."""
    inputs = work / "inputs"
    inputs.mkdir()
    write_inputs(inputs)
    named = only.split()[0] if only else ""
    for name, suite in SUITES.items():
        if named not in SUITES or name == named:
            yield from suite(source, work, inputs)
