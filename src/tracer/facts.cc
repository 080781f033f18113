#include "tracer/facts.h"

#include <mpi.h>
#include <unistd.h>

#include <algorithm>
#include <string>

namespace orrery::tracer {
namespace {

std::string program_path() {
  char path[4096];
  const ssize_t length = readlink("/proc/self/exe", path, sizeof path);
  return length > 0 ? std::string(path, static_cast<std::size_t>(length)) : std::string("?");
}

}  // namespace

FileFacts facts_of_this_process(const Place& place, const Settings& settings, std::uint64_t start_ns) {
  FileFacts facts;
  facts.rank = place.rank;
  facts.world_size = place.size;
  facts.node = place.node;
  facts.unix_offset_ns = place.unix_offset_ns;
  facts.start_ns = start_ns;
  facts.depth = settings.depth;
  char text[std::max(MPI_MAX_PROCESSOR_NAME, MPI_MAX_LIBRARY_VERSION_STRING) + 1] = "";
  int length = 0;
  PMPI_Get_processor_name(text, &length);
  facts.host = std::string(text, static_cast<std::size_t>(length));
  PMPI_Get_library_version(text, &length);
  facts.library = std::string(text, static_cast<std::size_t>(length));
  facts.library.resize(std::min(facts.library.find_first_of("\n\r,"),
                                facts.library.size()));  // the version; what follows is when it was built
  facts.program = program_path();
  return facts;
}

}  // namespace orrery::tracer
