#include "shapewise/pipeline/code_changes.h"

#include <algorithm>
#include <optional>

#include "shapewise/support/text_scan.h"

namespace shapewise {
namespace {

/// A path as git prints it: quoted like a string of C where it holds odd bytes; a tab ends one that
/// holds blanks.
std::string PathOf(std::string_view text) {
  if (!text.starts_with('"')) {
    return std::string(text.substr(0, text.find('\t')));
  }
  std::string path;
  for (size_t i = 1; i < text.size() && text[i] != '"'; ++i) {
    if (text[i] != '\\' || i + 1 == text.size()) {
      path += text[i];
      continue;
    }
    const char c = text[++i];
    constexpr std::string_view kLetters = "abtnvfr";
    if (const size_t letter = kLetters.find(c); letter != std::string_view::npos) {
      path += static_cast<char>('\a' + letter);
    } else if (c >= '0' && c <= '3' && i + 2 < text.size()) {
      const int byte = (c - '0') * 64 + (text[i + 1] - '0') * 8 + (text[i + 2] - '0');
      path += static_cast<char>(byte);
      i += 2;
    } else {
      path += c;
    }
  }
  return path;
}

/// The path behind "--- a/" or "+++ b/"; empty for /dev/null.
std::string SidePath(std::string_view text, std::string_view prefix) {
  std::string path = PathOf(text);
  if (path == "/dev/null") return {};
  return path.starts_with(prefix) ? path.substr(prefix.size()) : path;
}

/// The lines now of "@@ -3,2 +3,4 @@ ..."; absent where nothing stands there now.
std::optional<std::pair<uint32_t, uint32_t>> HunkLines(std::string_view hunk) {
  const size_t plus = hunk.find('+');
  if (plus == std::string_view::npos) return std::nullopt;
  hunk.remove_prefix(plus + 1);
  const std::optional<uint32_t> first = ConsumeUint<uint32_t>(hunk);
  if (!first) return std::nullopt;
  std::optional<uint32_t> count = 1;
  if (ConsumeFront(hunk, ",")) count = ConsumeUint<uint32_t>(hunk);
  if (!count || *count == 0 || *count > UINT32_MAX - *first) return std::nullopt;
  return std::pair(*first, *first + *count - 1);
}

/// How many lines of text a hunk has, which are not to be taken for heads.
size_t HunkText(std::string_view hunk) {
  size_t lines = 0;
  for (const char sign : {'-', '+'}) {
    const size_t at = hunk.find(sign);
    if (at == std::string_view::npos) return lines;
    hunk.remove_prefix(at + 1);
    ConsumeUint(hunk);
    std::optional<uint32_t> count = 1;
    if (ConsumeFront(hunk, ",")) count = ConsumeUint<uint32_t>(hunk);
    lines += count.value_or(0);
  }
  return lines;
}

}  // namespace

std::vector<ChangedFile> ParseDiff(std::string_view diff) {
  std::vector<ChangedFile> files;
  size_t text_lines = 0;
  while (!diff.empty()) {
    const size_t end = diff.find('\n');
    std::string_view line = diff.substr(0, end);
    diff.remove_prefix(end == std::string_view::npos ? diff.size() : end + 1);
    if (text_lines > 0 && (line.starts_with('+') || line.starts_with('-'))) {
      --text_lines;
    } else if (line.starts_with("diff --git ")) {
      files.emplace_back();
      text_lines = 0;
    } else if (files.empty()) {
      continue;
    } else if (ConsumeFront(line, "rename from ")) {
      files.back().before = PathOf(line);
    } else if (ConsumeFront(line, "rename to ")) {
      files.back().after = PathOf(line);
    } else if (ConsumeFront(line, "--- ")) {
      files.back().before = SidePath(line, "a/");
    } else if (ConsumeFront(line, "+++ ")) {
      files.back().after = SidePath(line, "b/");
    } else if (ConsumeFront(line, "@@ ")) {
      if (const auto lines = HunkLines(line)) files.back().lines.push_back(*lines);
      text_lines = HunkText(line);
    }
  }
  // A change of mode, or of a file that is not text, names no lines.
  std::erase_if(files,
                [](const ChangedFile& file) { return file.before.empty() && file.after.empty(); });
  return files;
}

void ChangedLines::Add(const std::string& file, std::vector<std::pair<uint32_t, uint32_t>> lines) {
  std::vector<std::pair<uint32_t, uint32_t>>& all = lines_[file];
  all.insert(all.end(), lines.begin(), lines.end());
  std::ranges::sort(all);
}

bool ChangedLines::Touches(const std::string& file, uint32_t first, uint32_t last) const {
  const auto found = lines_.find(file);
  if (found == lines_.end()) return false;
  return std::ranges::any_of(found->second, [&](const auto& lines) {
    return lines.first <= last && first <= lines.second;
  });
}

void HoldBackUnchanged(const ChangedLines& changed, const CodeTexts& texts,
                       const std::vector<std::string>& reached_before,
                       const std::vector<std::string>& reached, CheckResult& result) {
  const auto is_touched = [&](const std::string& file, const CodeRange& range) {
    const CodeRange in_file = texts.InFile(file, range);
    return changed.Touches(file, in_file.line, std::max(in_file.line, in_file.end_line));
  };
  const auto is_new_in_region = [&](const CodeFinding& finding) {
    if (finding.function.empty()) return false;
    const std::string name = finding.file + ":" + finding.function;
    return std::ranges::binary_search(reached, name) &&
           !std::ranges::binary_search(reached_before, name);
  };
  const auto is_brought = [&](const CodeFinding& finding) {
    if (is_touched(finding.file, finding.range) || is_new_in_region(finding)) return true;
    // Of an idiom that is told once, a changed place is enough.
    return finding.count > 1 &&
           std::ranges::any_of(finding.related, [&](const RelatedPlace& place) {
             return is_touched(place.file, place.range);
           });
  };
  result.outside_diff = std::erase_if(
      result.findings, [&](const CodeFinding& finding) { return !is_brought(finding); });
  std::erase_if(result.faults,
                [&](const CodeFault& fault) { return !is_touched(fault.file, fault.range); });
}

}  // namespace shapewise
