#include "result/place.h"

#include "support/text_scan.h"

namespace shapewise {

Place ParsePlace(std::string_view text) {
  for (size_t colon = text.find(':'); colon != kNotFound; colon = text.find(':', colon + 1)) {
    size_t end = colon + 1;
    while (end < text.size() && IsDigit(text[end])) ++end;
    const auto line = ParseNumber<uint32_t>(text.substr(colon + 1, end - colon - 1));
    const bool is_line = line && (end == text.size() || text[end] == ':');
    if (is_line) return {"", std::string(text.substr(0, colon)), *line};
  }
  return {};
}

}  // namespace shapewise
