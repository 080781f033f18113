#include "job/read/inside.h"

#include <algorithm>
#include <array>

#include "formats/nsys/format.h"
#include "formats/nsys/reader.h"
#include "formats/otf2/format.h"
#include "formats/rocprof/format.h"
#include "formats/rocprof/rocpd_reader.h"
#include "formats/training_operations/format.h"

namespace orrery::job {
namespace {

bool always(const std::string&) { return true; }

struct Inside {
  const formats::Format* format;
  bool (*is_it)(const std::string& path);
  bool (*holds_job)(const std::string& path);
};

constexpr std::array<Inside, 4> kInsides = {
    Inside{&nsys::kFormat, nsys::is_export, nsys::holds_several_processes},
    Inside{&rocprof::kDatabaseFormat, rocprof::is_rocpd, rocprof::holds_several_processes},
    Inside{&otf2::kFormat, always, always}, Inside{&training_operations::kFormat, always, always}};

const Inside* find_inside(const formats::Format& format) {
  const auto* const found =
      std::find_if(kInsides.begin(), kInsides.end(), [&](const Inside& inside) { return inside.format == &format; });
  return found == kInsides.end() ? nullptr : found;
}

}  // namespace

bool is_inside(const formats::Format& format, const std::string& path) {
  const Inside* const inside = find_inside(format);
  return inside == nullptr || inside->is_it(path);
}

bool holds_job(const formats::Format& format, const std::string& path) {
  const Inside* const inside = find_inside(format);
  return inside != nullptr && inside->holds_job(path);
}

}  // namespace orrery::job
