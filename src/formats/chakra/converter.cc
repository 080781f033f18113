#include "formats/chakra/converter.h"

namespace orrery::chakra {

Result<std::string> convert_linked_trace(const trace::HostTrace& linked, const Interner&) { return Error{"not built yet", linked.path}; }

}  // namespace orrery::chakra
