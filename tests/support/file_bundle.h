// Several files in one text, so that a fuzzer can mutate them together.

#ifndef SHAPEWISE_TESTS_SUPPORT_FILE_BUNDLE_H_
#define SHAPEWISE_TESTS_SUPPORT_FILE_BUNDLE_H_

#include <algorithm>
#include <cstddef>
#include <map>
#include <string>
#include <string_view>

namespace shapewise {

/// The files in `text`, by name. A line "==> NAME <==", as `tail` prints it, begins a file; what
/// precedes the first such line is called `first_name`. Of files with one name the last counts, and
/// after eight names the rest of the text belongs to the last of them.
inline std::map<std::string, std::string_view> SplitBundle(std::string_view text,
                                                           const std::string& first_name) {
  constexpr std::string_view kBegin = "==> ";
  constexpr std::string_view kEnd = " <==";
  constexpr size_t kMaxFiles = 8;
  constexpr size_t kMaxNameBytes = 100;
  std::map<std::string, std::string_view> files;
  std::string name = first_name;
  size_t file_begin = 0;
  size_t at = 0;
  while (at < text.size() && files.size() + 1 < kMaxFiles) {
    const size_t line_end = std::min(text.find('\n', at), text.size());
    const std::string_view line = text.substr(at, line_end - at);
    if (line.starts_with(kBegin) && line.ends_with(kEnd) &&
        line.size() > kBegin.size() + kEnd.size() && line.size() < kMaxNameBytes) {
      if (at > 0) files[name] = text.substr(file_begin, at - file_begin);
      name = line.substr(kBegin.size(), line.size() - kBegin.size() - kEnd.size());
      file_begin = std::min(line_end + 1, text.size());
    }
    at = line_end + 1;
  }
  files[name] = text.substr(file_begin);
  return files;
}

}  // namespace shapewise

#endif  // SHAPEWISE_TESTS_SUPPORT_FILE_BUNDLE_H_
