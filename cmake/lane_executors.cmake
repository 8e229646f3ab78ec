# The lane executors (src/ptx/semantics/lanes) are compiled twice, for x86-64-v2 and -v3, each copy in a namespace of its own;
# bind_handlers chooses when a module is loaded. -ffp-contract=off (global) keeps a*b+c two roundings in both. Version 2, for
# processors before 2013, compiles in two thirds of the time with -O2.
file(GLOB lane_sources CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/src/ptx/semantics/lanes/*.cpp)
set(lane_optimization -O3)
set(v2_optimization -O2)
if(DUET_SANITIZE)
  set(lane_optimization -O1)  # compiled in a third of the time
  set(v2_optimization -O0)  # for processors without v3
endif()
set(v3_optimization ${lane_optimization})
foreach(version v2 v3)
  add_library(duet_lanes_${version} OBJECT ${lane_sources})
  target_include_directories(duet_lanes_${version} PRIVATE ${CMAKE_SOURCE_DIR}/src)
  target_compile_definitions(duet_lanes_${version} PRIVATE DUET_LANES=lanes_${version})
  target_compile_options(duet_lanes_${version} PRIVATE ${${version}_optimization} -march=x86-64-${version} -fno-trapping-math)
  if(DUET_SANITIZE AND version STREQUAL "v2")
    target_compile_options(duet_lanes_v2 PRIVATE -fno-sanitize=all)  # the same source is checked as v3, where tests run
  endif()
  target_sources(duet_ptx PRIVATE $<TARGET_OBJECTS:duet_lanes_${version}>)
endforeach()

# The loops around the handlers.
set_source_files_properties(
  ${CMAKE_SOURCE_DIR}/src/ptx/semantics/memory_operations.cpp ${CMAKE_SOURCE_DIR}/src/gpu/functional/block_executor.cpp
  ${CMAKE_SOURCE_DIR}/src/gpu/functional/memory_unit.cpp ${CMAKE_SOURCE_DIR}/src/gpu/functional/functional_sm.cpp
  ${CMAKE_SOURCE_DIR}/src/gpu/sm/address_check.cpp ${CMAKE_SOURCE_DIR}/src/gpu/sm/load_store_unit.cpp
  ${CMAKE_SOURCE_DIR}/src/gpu/sm/shared_memory.cpp
  TARGET_DIRECTORY duet_ptx duet_gpu
  PROPERTIES COMPILE_OPTIONS "${lane_optimization}")
