#include "tracer/settings.h"

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace orrery::tracer {
namespace {

long number_from(const char* variable, long fallback, long lowest, long highest) {
  const char* text = std::getenv(variable);
  if (text == nullptr || *text == '\0') return fallback;
  char* end = nullptr;
  errno = 0;
  const long value = std::strtol(text, &end, 10);
  if (errno == 0 && *end == '\0' && value >= lowest && value <= highest) return value;
  std::fprintf(stderr, "orrery_mpi: %s is '%s', which is no number from %ld to %ld; %ld is used\n", variable, text,
               lowest, highest, fallback);
  return fallback;
}

}  // namespace

Settings read_settings() {
  Settings settings;
  const char* prefix = std::getenv("ORRERY_MPI_PREFIX");
  settings.prefix = prefix != nullptr && *prefix != '\0' ? prefix : "orrery";
  settings.depth = static_cast<int>(number_from("ORRERY_MPI_DEPTH", settings.depth, 1, kMaxDepth));
  settings.buffer_bytes = static_cast<std::size_t>(number_from("ORRERY_MPI_BUFFER_KIB", 64, 4, 1 << 20)) * 1024;
  settings.probe_rounds = static_cast<int>(number_from("ORRERY_MPI_PROBE_ROUNDS", settings.probe_rounds, 0, 10'000));
  const char* nodes = std::getenv("ORRERY_MPI_NODES");
  settings.every_rank_a_node = nodes != nullptr && std::strcmp(nodes, "rank") == 0;
  if (nodes != nullptr && *nodes != '\0' && !settings.every_rank_a_node && std::strcmp(nodes, "host") != 0)
    std::fprintf(stderr, "orrery_mpi: ORRERY_MPI_NODES is '%s', not 'host' or 'rank'; host is used\n", nodes);
  return settings;
}

}  // namespace orrery::tracer
