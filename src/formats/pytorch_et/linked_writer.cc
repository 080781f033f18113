#include "formats/pytorch_et/linked_writer.h"

namespace orrery::pytorch_et {

Status write_linked_trace(const trace::HostTrace&, const Interner&, const std::string& path) { return Error{"not built yet", path}; }

}  // namespace orrery::pytorch_et
