#include "page/page.h"

#include <fmt/format.h>

#include "base/io/output_file.h"
#include "base/parallel.h"
#include "page/assets.h"
#include "page/data/codec.h"
#include "page/sections/interactive_sections.h"
#include "report/html_writer.h"

// Sections and blobs come ready; here they are put into one file, in the order in which a browser should see them:
// style and text first, then data, and the script at the end. Blobs are encoded side by side and written one after the
// other.

namespace orrery::page {
namespace {

constexpr std::string_view kLogo =
    "<svg class=\"logo\" viewBox=\"0 0 24 24\" width=\"22\" height=\"22\" aria-hidden=\"true\" fill=\"none\" "
    "stroke=\"currentColor\" "
    "stroke-width=\"1.5\">"
    "<circle cx=\"12\" cy=\"12\" r=\"10.5\"/><circle cx=\"12\" cy=\"12\" r=\"6\"/><circle cx=\"12\" cy=\"12\" r=\"2\" "
    "fill=\"currentColor\"/>"
    "<circle cx=\"19.5\" cy=\"4.7\" r=\"1.6\" fill=\"currentColor\" stroke=\"none\"/></svg>";

void write_head(std::string& out, const Page& page) {
  out += "<!doctype html>\n<html lang=\"en\" data-theme=\"auto\">\n<head>\n<meta charset=\"utf-8\">\n";
  // Nothing may be asked of any network, and no script runs but the one that was built in.
  out += fmt::format(
      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; script-src '{}'; style-src "
      "'unsafe-inline'; img-src "
      "data:\">\n",
      script_hash());
  out +=
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<meta name=\"color-scheme\" "
      "content=\"light "
      "dark\">\n<title>";
  report::append_html_text(out, page.title);
  out += " - Orrery</title>\n<style>";
  out += style();
  out += "</style>\n";
  // What only a script could answer is not shown without one.
  out +=
      "<noscript><style>#whatif,#search,#theme,#help,#stage,.hint,.toolbar button,.toolbar "
      "label,#kernel-filter{display:none}</style></noscript>\n";
  out += "</head>\n<body>\n";
}

void write_header(std::string& out, const Page& page) {
  report::HtmlWriter html(out);
  html.open("header")
      .raw(kLogo)
      .raw("<b>Orrery</b>")
      .element("span", {{"class", "subject"}, {"title", page.title}}, page.title);
  html.open("nav", {{"aria-label", "Sections"}});
  bool has_timeline = false;
  for (const Section& section : page.sections) {
    if (section.html.empty()) continue;
    has_timeline |= section.id == "timeline";
    if (!section.title.empty()) html.element("a", {{"href", "#" + section.id}}, section.title);
  }
  html.close("nav");
  if (has_timeline) {
    html.raw(
        "<input type=\"search\" id=\"search\" placeholder=\"Search events  /\" aria-label=\"Search events\" "
        "spellcheck=\"false\" "
        "autocomplete=\"off\">");
    html.raw("<output id=\"search-count\" data-count=\"0\" for=\"search\"></output>");
  }
  html.raw(
      "<button type=\"button\" id=\"theme\" title=\"Light, dark or as the system has it (T)\" aria-label=\"Change the "
      "theme\">\u25D0</button>");
  html.raw("<button type=\"button\" id=\"help\" title=\"Keys (?)\" aria-label=\"Show the keys\">?</button>")
      .close("header");
  html.raw("\n");
}

void write_dialog(std::string& out) {
  report::HtmlWriter html(out);
  html.raw("<dialog id=\"keys\" aria-label=\"Keys\"><h2>Keys</h2>");
  write_keys_table(html);
  html.raw("<form method=\"dialog\"><button>close</button></form></dialog>\n");
}

}  // namespace

Result<std::uint64_t> write_page(const std::string& path, Page page) {
  Result<OutputFile> file = OutputFile::create(path);
  if (!file) return file.error();
  std::uint64_t bytes = 0;
  const auto write = [&](std::string_view text) {
    file->write(text);
    bytes += text.size();
  };
  std::vector<std::string> encoded(page.blobs.size());
  parallel_for(page.blobs.size(), [&](std::size_t i) {
    encoded[i] = blob_html(page.blobs[i]);
    page.blobs[i].table = {};  // a large job holds its columns once
  });
  std::string text;
  write_head(text, page);
  write_header(text, page);
  text += "<main>\n";
  for (const Section& section : page.sections) {
    if (!section.html.empty()) text += section.html + "\n";
  }
  text += "</main>\n";
  write_dialog(text);
  text += "<script type=\"application/json\" id=\"report-data\">" + page.report_data + "</script>\n";
  write(text);
  for (const std::string& blob : encoded) write(blob);
  // Behind everything that it reads, so that text is shown before it runs.
  text = "<script>";
  text += script();
  text += "</script>\n</body>\n</html>\n";
  write(text);
  if (const Status committed = file->commit(); !committed) return committed.error();
  return bytes;
}

}  // namespace orrery::page
