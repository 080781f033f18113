#include "formats/pytorch_et/attribute_skeleton.h"

#include <cstring>

namespace orrery::pytorch_et {

bool AttributeSkeleton::passes(const char*& p, std::string_view text, const JsonWalk& walk) const {
  if (static_cast<std::size_t>(walk.end() - p) < text.size() || std::memcmp(p, text.data(), text.size()) != 0)
    return false;
  p += text.size();
  return true;
}

const char* AttributeSkeleton::match(const char* p, JsonWalk& walk) {
  if (!is_usable_) return nullptr;
  for (std::size_t i = 0; i < values_.size(); ++i) {
    if (!passes(p, text_before_[i], walk)) return nullptr;
    const char* const after = walk.skip_value(p);
    if (after == nullptr) return nullptr;
    values_[i].json = {p, static_cast<std::size_t>(after - p)};
    p = after;
  }
  return passes(p, text_after_, walk) ? p : nullptr;
}

void AttributeSkeleton::begin(const char* list) {
  values_.clear();
  text_before_.clear();
  learned_up_to_ = list;
  is_usable_ = true;
}

void AttributeSkeleton::add(Field field, std::string_view json) {
  text_before_.push_back(text_up_to(json.data()));
  values_.push_back({field, json});
  learned_up_to_ = json.data() + json.size();
}

void AttributeSkeleton::end(const char* after_list) { text_after_ = text_up_to(after_list); }

}  // namespace orrery::pytorch_et
