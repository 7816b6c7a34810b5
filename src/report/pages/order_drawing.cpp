#include "report/pages/order_drawing.h"

#include <algorithm>
#include <map>
#include <set>

#include <fmt/format.h>

#include "base/text.h"
#include "report/pages/order_view.h"
#include "report/pages/shown.h"

namespace ordercheck {
namespace {

// Colours for light and dark backgrounds. Silent harms stand out most, because nothing else reports them.
struct Stroke {
  Shown shown;
  const char* arrow;
  const char* style;
};
constexpr Stroke kStrokes[] = {{Shown::wrong, "==>", "stroke:#d1242f,stroke-width:3px"},
                               {Shown::without_effect, "==>", "stroke:#bf8700,stroke-width:3px"},
                               {Shown::fails, "-->", "stroke:#0969da,stroke-width:2px"},
                               {Shown::slower, "-->", "stroke:#8250df,stroke-width:2px"}};

class Drawing {
 public:
  // One line with an arrow from each of `from` to `to`.
  void arrows(const std::vector<std::string>& from, const std::string& to, const Stroke& stroke) {
    arrows_.push_back(fmt::format("{} {}|{}| {}", join(from, " & "), stroke.arrow, in_words(stroke.shown), to));
    count(from.size(), stroke.style);
  }
  void chain(const std::vector<std::string>& names, const char* style) {
    chains_.push_back(join(names, " --- "));
    count(names.size() - 1, style);
  }
  // The arrows, then the chains, then the styles; as many on a line as fit.
  OrderDrawing finished() && {
    std::vector<std::string> parts = std::move(arrows_);
    parts.insert(parts.end(), chains_.begin(), chains_.end());
    for (const auto& [style, links] : styled_) parts.push_back(fmt::format("linkStyle {} {}", join(links, ","), style));
    constexpr std::size_t kLongestLine = 150;
    OrderDrawing drawing;
    for (std::string& part : parts) {
      const bool fits = !drawing.lines.empty() && drawing.lines.back().size() + part.size() + 2 <= kLongestLine;
      if (fits)
        drawing.lines.back() += "; " + part;
      else
        drawing.lines.push_back(std::move(part));
    }
    return drawing;
  }

 private:
  void count(std::size_t links, const std::string& style) {
    for (std::size_t i = 0; i < links; ++i) styled_[style].push_back(std::to_string(links_++));
  }

  std::vector<std::string> arrows_, chains_;
  std::map<std::string, std::vector<std::string>> styled_;
  int links_ = 0;
};

// The result of running two transforms in the opposite order; equal if both orders have the same result.
Shown harm_of_turning(const std::string& before, const std::string& after, const Sources& sources,
                      const std::vector<EngineRuns>& engines) {
  const Shown straight = shown_by_pair(before, after, sources, engines);
  const Shown turned = shown_by_pair(after, before, sources, engines);
  return turned == straight && turned != Shown::not_run ? Shown::equal : turned;
}

// The longest sequences of adjacent transforms in `names` in which each two neighbours in the opposite order have the result
// `shown`.
std::vector<std::vector<std::string>> chains(const std::vector<std::string>& names, Shown shown, const Sources& sources,
                                             const std::vector<EngineRuns>& engines) {
  std::vector<std::vector<std::string>> found;
  bool open = false;
  for (std::size_t i = 0; i + 1 < names.size(); ++i) {
    if (harm_of_turning(names[i], names[i + 1], sources, engines) != shown) {
      open = false;
      continue;
    }
    if (!open) found.push_back({names[i]});
    found.back().push_back(names[i + 1]);
    open = true;
  }
  return found;
}

}  // namespace

OrderDrawing draw_order(const std::vector<std::string>& names, const Sources& sources, const std::vector<EngineRuns>& engines) {
  Drawing drawing;
  for (std::size_t to = 1; to < names.size(); ++to)
    for (const Stroke& stroke : kStrokes) {
      std::vector<std::string> from;
      for (std::size_t i = 0; i < to; ++i)
        if (harm_of_turning(names[i], names[to], sources, engines) == stroke.shown) from.push_back(names[i]);
      if (!from.empty()) drawing.arrows(from, names[to], stroke);
    }
  for (const auto& chain : chains(names, Shown::equal, sources, engines))
    drawing.chain(chain, "stroke:#8c959f,stroke-width:2px,stroke-dasharray:7");
  for (const auto& chain : chains(names, Shown::not_run, sources, engines))
    drawing.chain(chain, "stroke:#8c959f,stroke-width:2px,stroke-dasharray:2");
  return std::move(drawing).finished();
}

}  // namespace ordercheck
