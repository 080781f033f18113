# What a user does: installs the library, builds the example against it as a project of its own, and runs it. Called by ctest with
#   -DBUILD=folder of the build -DSOURCE=root of the sources -DWORK=folder to use -DGENERATOR=... -DCOMPILER=... -DSANITIZE=...
function(run)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE code OUTPUT_VARIABLE output ERROR_VARIABLE output)
  if(NOT code EQUAL 0)
    message(FATAL_ERROR "${ARGN}\nended with ${code}:\n${output}")
  endif()
  set(output "${output}" PARENT_SCOPE)
endfunction()

file(REMOVE_RECURSE ${WORK})
run(${CMAKE_COMMAND} --install ${BUILD} --component api --prefix ${WORK}/installed)
set(flags "-Wall -Wextra -Wpedantic -Werror")
if(SANITIZE)
  string(APPEND flags " -fsanitize=${SANITIZE}")
endif()
run(${CMAKE_COMMAND} -S ${SOURCE}/examples/feeder -B ${WORK}/build -G ${GENERATOR} -DCMAKE_PREFIX_PATH=${WORK}/installed
    -DCMAKE_CXX_COMPILER=${COMPILER} -DCMAKE_CXX_FLAGS=${flags} -DCMAKE_BUILD_TYPE=Debug)
run(${CMAKE_COMMAND} --build ${WORK}/build)
run(${WORK}/build/simulator ${SOURCE}/data/workloads/training 50)

string(REGEX MATCHALL "rank [0-9]+: 41 nodes, 30.917 ms" lines "${output}")
list(LENGTH lines count)
if(NOT count EQUAL 16)
  message(FATAL_ERROR "the example printed:\n${output}")
endif()
