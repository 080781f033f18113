// The attribute lists of a host trace differ in their values and hardly in anything else: a list seen before is
// recognised by the text between its values, and the values are taken without looking at keys and names again.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "base/json/json_walk.h"
#include "formats/pytorch_et/row_fields.h"

namespace orrery::pytorch_et {

class AttributeSkeleton {
 public:
  /// The value of an attribute, as JSON.
  struct Value {
    Field field;
    std::string_view json;
  };

  /// Takes the list at `p` if all of it but its values is what was learned: returns the position after it, and values()
  /// are its values. Otherwise returns nullptr, which says nothing about the list.
  const char* match(const char* p, JsonWalk& walk);
  [[nodiscard]] const std::vector<Value>& values() const { return values_; }

  /// Learns a list that has been parsed: begin, add for each value in order of the text, end. The text must outlive the
  /// skeleton.
  void begin(const char* list);
  void add(Field field, std::string_view json);
  void end(const char* after_list);
  /// Forgets: there is something in the list that has to be looked at each time.
  void forget() { is_usable_ = false; }

 private:
  bool passes(const char*& p, std::string_view text, const JsonWalk& walk) const;
  [[nodiscard]] std::string_view text_up_to(const char* p) const {
    return {learned_up_to_, static_cast<std::size_t>(p - learned_up_to_)};
  }

  std::vector<Value> values_;                  // of the list matched last
  std::vector<std::string_view> text_before_;  // each value
  std::string_view text_after_;                // the last
  const char* learned_up_to_ = nullptr;
  bool is_usable_ = false;
};

}  // namespace orrery::pytorch_et
