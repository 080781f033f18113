// HTML out: the one place where text becomes markup. Names in traces are hostile, so nothing reaches a page but through
// text() and attributes.
//
//     HtmlWriter html(out);
//     html.open("tr", {{"data-kind", kind}}).element("td", {}, name).close("tr");
#pragma once

#include <initializer_list>
#include <span>
#include <string>
#include <string_view>

namespace orrery::report {

/// An attribute. Names are ours; values are escaped.
struct HtmlAttribute {
  std::string_view name;
  std::string value;
};

/// Appends `text` with & < > " ' as references; control characters that HTML forbids, and bytes that are not UTF-8,
/// become U+FFFD, and marks that turn the direction of what follows (U+202A to U+202E, U+2066 to U+2069) are shown as
/// their number, so that a name cannot rearrange the page.
void append_html_text(std::string& out, std::string_view text);
std::string html_text(std::string_view text);

/// Appends HTML to a string. Which elements nest is the caller's duty.
class HtmlWriter {
 public:
  using Attributes = std::initializer_list<HtmlAttribute>;
  explicit HtmlWriter(std::string& out) : out_(out) {}

  HtmlWriter& open(std::string_view tag, Attributes attributes = {}) {
    return open(tag, std::span(attributes.begin(), attributes.size()));
  }
  HtmlWriter& open(std::string_view tag, std::span<const HtmlAttribute> attributes);
  HtmlWriter& close(std::string_view tag);
  HtmlWriter& text(std::string_view text);
  /// <tag attributes>text</tag>
  HtmlWriter& element(std::string_view tag, Attributes attributes, std::string_view text);
  /// Markup that was written by this class, or that is ours.
  HtmlWriter& raw(std::string_view html);

 private:
  std::string& out_;
};

}  // namespace orrery::report
