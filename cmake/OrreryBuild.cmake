# Compiler settings shared by every target, and orrery_library(), which makes one library of one folder of src/.

find_program(ORRERY_CCACHE ccache)
if(ORRERY_CCACHE)
  # Paths below the sources count as relative, so that another clone finds what this one compiled.
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CMAKE_COMMAND} -E env CCACHE_BASEDIR=${PROJECT_SOURCE_DIR} CCACHE_NOHASHDIR=1 ${ORRERY_CCACHE})
endif()
find_program(ORRERY_MOLD mold)
if(ORRERY_MOLD)
  add_link_options(-fuse-ld=mold)
endif()

add_library(orrery_options INTERFACE)
target_compile_options(orrery_options INTERFACE -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wno-sign-conversion -Werror)
# Fused multiply-adds round differently: without them every machine computes the same bits.
target_compile_options(orrery_options INTERFACE -ffp-contract=off)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  target_compile_options(orrery_options INTERFACE -Wno-restrict)  # GCC 12 sees an overlap in std::string::insert that cannot happen
endif()
if(CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
  target_compile_options(orrery_options INTERFACE -Wno-gnu-zero-variadic-macro-arguments)
endif()
if(ORRERY_SANITIZE)
  add_compile_options(-fsanitize=${ORRERY_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all)
  add_link_options(-fsanitize=${ORRERY_SANITIZE})
endif()

# orrery_library(NAME DEPENDS...): the library orrery_NAME out of every .cc file in the current folder.
# Headers are included as "folder/file.h" from src/, so that an include shows the layer it reaches into.
function(orrery_library name)
  file(GLOB sources CONFIGURE_DEPENDS *.cc)
  if(NOT sources)  # a folder of headers
    add_library(orrery_${name} INTERFACE)
    target_include_directories(orrery_${name} INTERFACE ${PROJECT_SOURCE_DIR}/src)
    target_link_libraries(orrery_${name} INTERFACE ${ARGN})
    return()
  endif()
  add_library(orrery_${name} STATIC ${sources})
  target_include_directories(orrery_${name} PUBLIC ${PROJECT_SOURCE_DIR}/src)
  target_link_libraries(orrery_${name} PUBLIC ${ARGN} PRIVATE orrery_options)
endfunction()
