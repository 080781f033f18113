#include "job/shipped/shipped_catalog.h"

#include <filesystem>

#include "job/shipped/shipped_folder.h"
#include "machine/device/device_yaml.h"

namespace orrery::job {

Result<llm::Catalog> read_shipped_catalog() {
  const std::string devices = shipped_folder("devices");
  if (devices.empty())
    return Error{"the descriptions that come with the program are not found",
                 {},
                 Error::kNoOffset,
                 "they are beside it in share/orrery, or in data of the folder it was built in"};
  return llm::read_catalog(std::filesystem::path(devices).parent_path().string());
}

Result<machine::Device> read_device(const llm::Catalog& catalog, const std::string& text) {
  std::error_code ignored;
  if (text.find('/') != std::string::npos || std::filesystem::is_regular_file(text, ignored))
    return machine::read_device(text);
  const auto found = llm::device_called(catalog, text);
  if (!found) return found.error();
  return **found;
}

}  // namespace orrery::job
