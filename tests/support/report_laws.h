// Laws of printed results, whatever the result is.

#ifndef SHAPEWISE_TESTS_SUPPORT_REPORT_LAWS_H_
#define SHAPEWISE_TESTS_SUPPORT_REPORT_LAWS_H_

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string_view>

namespace shapewise {

/// Whether `text` keeps the law of the form called `format`: JSON parses, as a whole or line by
/// line, and other forms have no control characters that a terminal would obey.
inline bool IsWellFormed(std::string_view format, std::string_view text) {
  if (format == "json" || format == "sarif" || format == "gitlab" || format == "perfetto") {
    return nlohmann::json::accept(text);
  }
  if (format == "jsonl") {
    while (!text.empty()) {
      const size_t newline = text.find('\n');
      if (newline == std::string_view::npos) return false;
      if (!nlohmann::json::accept(text.substr(0, newline))) return false;
      text.remove_prefix(newline + 1);
    }
    return true;
  }
  return std::ranges::none_of(text, [](char c) {
    return (static_cast<unsigned char>(c) < 0x20 && c != '\n' && c != '\t') || c == 0x7f;
  });
}

}  // namespace shapewise

#endif  // SHAPEWISE_TESTS_SUPPORT_REPORT_LAWS_H_
