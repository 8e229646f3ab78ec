# What the build makes of the list of an API's exports: one name a line, and behind it, where functions are found by name while a program
# runs, the version since which the name exists.

# duet_api_stubs(TARGET LIST FILE REFUSED_BY FUNCTION [EXPORTED] [TABLE PREFIX HEADER FILE])
#
#   duet_api_stubs(duet_runtime LIST cuda/exports.txt REFUSED_BY duet_unsupported EXPORTED)
#
# Gives TARGET a weak stub for every name: it calls `int FUNCTION(const char* name)`, and a function that exists takes its place. EXPORTED:
# the stubs are visible outside the library. TABLE: PREFIX_functions has the addresses, PREFIX_names the names with their versions, and
# PREFIX_name_count their number, as HEADER declares them.
function(duet_api_stubs target)
  cmake_parse_arguments(API "EXPORTED" "LIST;REFUSED_BY;TABLE;HEADER" "" ${ARGN})
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/${API_LIST})
  file(STRINGS ${API_LIST} lines)
  set(visible "")
  if(API_EXPORTED)
    set(visible ", visibility(\"default\")")
  endif()
  set(stubs "// Generated from ${API_LIST}.\nextern \"C\" int ${API_REFUSED_BY}(const char* name);\n")
  set(declared "")
  set(functions "")
  set(names "")
  foreach(line ${lines})
    string(REGEX REPLACE " .*" "" name "${line}")
    string(REGEX REPLACE ".* " "" since "${line}")
    string(APPEND stubs "extern \"C\" __attribute__((weak${visible})) int ${name}() { return ${API_REFUSED_BY}(\"${name}\"); }\n")
    string(APPEND declared "void ${name}();\n")
    string(APPEND functions "${name},\n")
    string(APPEND names "{\"${name}\", ${since}},\n")
  endforeach()
  get_filename_component(room ${API_LIST} DIRECTORY)
  set(sources ${CMAKE_CURRENT_BINARY_DIR}/${room}_stubs.cpp)
  file(GENERATE OUTPUT ${sources} CONTENT "${stubs}")
  set_source_files_properties(${sources} PROPERTIES COMPILE_OPTIONS -fno-builtin)
  if(API_TABLE)
    set(table ${CMAKE_CURRENT_BINARY_DIR}/${room}_names.cpp)
    file(GENERATE OUTPUT ${table} CONTENT "// Generated from ${API_LIST}.\n#include \"${API_HEADER}\"\nextern \"C\" {\n${declared}}
void (*const ${API_TABLE}_functions[])() = {\n${functions}};\nconst duet::ExportedName ${API_TABLE}_names[] = {\n${names}};
const std::size_t ${API_TABLE}_name_count = sizeof ${API_TABLE}_names / sizeof ${API_TABLE}_names[0];\n")
    list(APPEND sources ${table})
  endif()
  # They declare every function without its arguments.
  set_source_files_properties(${sources} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
  target_sources(${target} PRIVATE ${sources})
endfunction()

# duet_api_jumps(TARGET LIST FILE TABLE PREFIX): a library without code of its own. Each of its exports jumps to the function at its place in
# PREFIX_functions, in a library that TARGET links.
function(duet_api_jumps target)
  cmake_parse_arguments(API "" "LIST;TABLE" "" ${ARGN})
  file(STRINGS ${API_LIST} lines)
  set(jumps "// Generated from ${API_LIST}: each name jumps to its function.\nasm(R\"(\n.text\n")
  set(offset 0)
  foreach(line ${lines})
    string(REGEX REPLACE " .*" "" name "${line}")
    string(APPEND jumps ".globl ${name}\n.type ${name}, @function\n${name}: movq ${API_TABLE}_functions@GOTPCREL(%rip), %rax\njmp *${offset}(%rax)\n.size ${name}, .-${name}\n")
    math(EXPR offset "${offset} + 8")
  endforeach()
  string(APPEND jumps ")\");\n")
  get_filename_component(room ${API_LIST} DIRECTORY)
  file(GENERATE OUTPUT ${CMAKE_CURRENT_BINARY_DIR}/${room}_jumps.cpp CONTENT "${jumps}")
  target_sources(${target} PRIVATE ${CMAKE_CURRENT_BINARY_DIR}/${room}_jumps.cpp)
endfunction()

# duet_guest_stubs(OUTPUT FILE LISTS FILE...): a line `STUB name` for every name of the lists, for programs on simulated cores.
function(duet_guest_stubs)
  cmake_parse_arguments(API "" "OUTPUT" "LISTS" ${ARGN})
  list(JOIN API_LISTS ", " from)
  set(stubs "# Generated from ${from}.\n")
  foreach(file ${API_LISTS})
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/${file})
    file(STRINGS ${file} lines)
    foreach(line ${lines})
      string(REGEX REPLACE " .*" "" name "${line}")
      string(APPEND stubs "STUB ${name}\n")
    endforeach()
  endforeach()
  file(GENERATE OUTPUT ${API_OUTPUT} CONTENT "${stubs}")
endfunction()
