# Compiler settings shared by every target, and orrery_library(), which makes one library of one folder of src/.

find_program(ORRERY_CCACHE ccache)
if(ORRERY_CCACHE)
  # Paths below the sources count as relative, so that another clone finds what this one compiled.
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CMAKE_COMMAND} -E env CCACHE_BASEDIR=${PROJECT_SOURCE_DIR} CCACHE_NOHASHDIR=1
      CCACHE_SLOPPINESS=pch_defines,time_macros ${ORRERY_CCACHE})
endif()
find_program(ORRERY_MOLD mold)
if(ORRERY_MOLD)
  add_link_options(-fuse-ld=mold)
endif()

add_library(orrery_options INTERFACE)
# An error where we build with that compiler ourselves. Newer ones warn of other things, some of which cannot happen (GCC 13: of what std::vector frees), and
# whoever has one wants a program. Nor with sanitizers: what they put between the lines makes GCC see values that were never set.
set(warnings -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wno-sign-conversion)
if((CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13) OR (CMAKE_CXX_COMPILER_ID STREQUAL "Clang" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 15))
  if(NOT ORRERY_SANITIZE)
    list(APPEND warnings -Werror)
    if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
      # What these see hangs on what is inlined, and that on the processor and on which sources are compiled together: they warn, and break nobody's build.
      list(APPEND warnings -Wno-error=maybe-uninitialized -Wno-error=array-bounds -Wno-error=stringop-overflow)
    endif()
  endif()
endif()
target_compile_options(orrery_options INTERFACE ${warnings})
# Fused multiply-adds round differently: without them every machine computes the same bits.
target_compile_options(orrery_options INTERFACE -ffp-contract=off)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  target_compile_options(orrery_options INTERFACE -Wno-restrict)  # GCC 12 sees an overlap in std::string::insert that cannot happen
endif()
# By default GCC looks for garbage whenever its heap has doubled. A process that soon ends needs none of that: a sixteenth of the time, a third more memory.
add_compile_options($<$<CXX_COMPILER_ID:GNU>:--param=ggc-min-expand=1000> $<$<CXX_COMPILER_ID:GNU>:--param=ggc-min-heapsize=1048576>)
if(CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
  target_compile_options(orrery_options INTERFACE -Wno-gnu-zero-variadic-macro-arguments)
endif()
if(ORRERY_SANITIZE)
  add_compile_options(-fsanitize=${ORRERY_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all)
  add_link_options(-fsanitize=${ORRERY_SANITIZE})
endif()

# Several sources of a folder are compiled as one, since reading the headers is most of the work of compiling one file. Files of a folder
# therefore share their anonymous namespaces: two helpers of one name in one folder are refused, which is no loss to the reader either.
set(ORRERY_UNITY 32 CACHE STRING "Sources compiled together, per folder; 0 compiles each alone")
function(orrery_compile_together target)
  if(ORRERY_UNITY GREATER 1)
    set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE ${ORRERY_UNITY})
  endif()
endfunction()

# What nearly every source includes is read once for each of the two levels of optimisation: GCC keeps that level with what it has read, and would
# compile whoever takes it over at that level, whatever the command says. It is taken only where the same macros are set, hence -pthread
# for all, which some libraries ask for.
target_compile_options(orrery_options INTERFACE -pthread)
function(orrery_headers name)
  file(WRITE ${CMAKE_BINARY_DIR}/headers/${name}.cc "")
  add_library(${name} OBJECT ${CMAKE_BINARY_DIR}/headers/${name}.cc)
  target_link_libraries(${name} PRIVATE orrery_options fmt::fmt)
  target_compile_options(${name} PRIVATE ${ARGN})
  orrery_position_independent(${name})
  target_precompile_headers(${name} PRIVATE <fmt/format.h> <algorithm> <array> <atomic> <charconv> <chrono> <cmath> <cstdint> <cstring> <deque> <filesystem> <functional>
                            <limits> <map> <memory> <mutex> <numeric> <optional> <queue> <set> <span> <string> <string_view> <tuple> <unordered_map> <unordered_set> <utility>
                            <variant> <vector>)
endfunction()

# Tests want short names for their helpers, so that fewer of them share theirs.
function(orrery_compile_tests_together target)
  if(ORRERY_UNITY GREATER 1)
    set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 16)
  endif()
endfunction()

# From so many instructions on, GCC stops inlining what would make a file much longer. Files that are compiled together reach that, and the inner
# loops of readers then call functions for single bytes: a tenth of their speed. For folders in which that is measured (docs/PERFORMANCE.md).
function(orrery_inline_as_if_alone target)
  target_compile_options(${target} PRIVATE $<$<CXX_COMPILER_ID:GNU>:--param=large-unit-insns=100000>)
  set_target_properties(${target} PROPERTIES DISABLE_PRECOMPILE_HEADERS ON)  # which would bring the usual limit along
endfunction()

# orrery_optimise_little(TARGET ROOMS...): -O1 for all of a library, or for the named rooms of its folder (src/CMakeLists.txt says where and why).
function(orrery_optimise_little target)
  if(ARGN)  # sources with options of their own would be compiled alone: the rooms become a second target of the same library
    get_target_property(sources ${target} SOURCES)
    get_target_property(folder ${target} SOURCE_DIR)
    get_target_property(libraries ${target} LINK_LIBRARIES)
    list(JOIN ARGN "|" rooms)
    set(little ${sources})
    list(FILTER little INCLUDE REGEX "^${folder}/(${rooms})/")
    list(FILTER sources EXCLUDE REGEX "^${folder}/(${rooms})/")
    add_library(${target}_little OBJECT ${little})
    target_link_libraries(${target}_little PRIVATE ${libraries})
    target_include_directories(${target}_little PRIVATE ${PROJECT_SOURCE_DIR}/src)
    orrery_position_independent(${target}_little)
    orrery_compile_together(${target}_little)
    set_target_properties(${target} PROPERTIES SOURCES "${sources}")
    target_sources(${target} PRIVATE $<TARGET_OBJECTS:${target}_little>)
    set(target ${target}_little)
  endif()
  target_compile_options(${target} PRIVATE -O1)
  target_precompile_headers(${target} REUSE_FROM orrery_headers_little)
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")  # at -O1, GCC 12 sees copies beyond short strings that cannot happen
    target_compile_options(${target} PRIVATE -Wno-array-bounds -Wno-stringop-overflow)
  endif()
endfunction()

# The engine is part of shared objects too: the public library and the Python module. Hidden symbols, so that position-independent code calls its
# neighbours directly and costs the program nothing.
function(orrery_position_independent target)
  set_target_properties(${target} PROPERTIES POSITION_INDEPENDENT_CODE ON CXX_VISIBILITY_PRESET hidden VISIBILITY_INLINES_HIDDEN ON)
endfunction()

# orrery_library(NAME DEPENDS...): the library orrery_NAME out of every .cc file in the current folder.
# Headers are included as "folder/file.h" from src/, so that an include shows the layer it reaches into.
function(orrery_library name)
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS *.cc)
  # Rooms belong to the folder, but for those that are a library of their own.
  file(GLOB own_libraries CONFIGURE_DEPENDS RELATIVE ${CMAKE_CURRENT_SOURCE_DIR} */CMakeLists.txt */*/CMakeLists.txt)
  foreach(own ${own_libraries})
    get_filename_component(room ${own} DIRECTORY)
    list(FILTER sources EXCLUDE REGEX "^${CMAKE_CURRENT_SOURCE_DIR}/${room}/")
  endforeach()
  if(NOT sources)  # a folder of headers
    add_library(orrery_${name} INTERFACE)
    target_include_directories(orrery_${name} INTERFACE ${PROJECT_SOURCE_DIR}/src)
    target_link_libraries(orrery_${name} INTERFACE ${ARGN})
    return()
  endif()
  add_library(orrery_${name} STATIC ${sources})
  target_include_directories(orrery_${name} PUBLIC ${PROJECT_SOURCE_DIR}/src)
  target_link_libraries(orrery_${name} PUBLIC ${ARGN} PRIVATE orrery_options)
  orrery_position_independent(orrery_${name})
  orrery_compile_together(orrery_${name})
  target_precompile_headers(orrery_${name} REUSE_FROM orrery_headers)
endfunction()
