#include "pipeline/code_changes.h"

#include <algorithm>
#include <optional>
#include <set>
#include <tuple>

#include "support/text_scan.h"

namespace shapewise {
namespace {

/// A path as git prints it: quoted like a C string if it contains unusual bytes; a tab follows a
/// path with blanks.
std::string PathOf(std::string_view text) {
  if (!text.starts_with('"')) return std::string(text.substr(0, text.find('\t')));
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

/// The path after "--- a/" or "+++ b/"; empty for /dev/null.
std::string SidePath(std::string_view text, std::string_view prefix) {
  std::string path = PathOf(text);
  if (path == "/dev/null") return {};
  return path.starts_with(prefix) ? path.substr(prefix.size()) : path;
}

/// Parses the number, and after a comma the count, of one side of "@@ -3,2 +3,4 @@".
std::optional<std::pair<uint64_t, uint64_t>> HunkSide(std::string_view hunk, char sign) {
  const size_t at = hunk.find(sign);
  if (at == std::string_view::npos) return std::nullopt;
  hunk.remove_prefix(at + 1);
  const std::optional<uint64_t> first = ConsumeUint(hunk);
  std::optional<uint64_t> count = 1;
  if (ConsumeFront(hunk, ",")) count = ConsumeUint(hunk);
  constexpr uint64_t kMostLines = UINT32_MAX / 2;
  if (!first || !count || *first > kMostLines || *count > kMostLines) return std::nullopt;
  return std::pair(*first, *count);
}

/// Reads the lines of a hunk into blocks. Context lines separate blocks; settings of git can add
/// them despite the command line.
class HunkReader {
 public:
  /// `head`: "3,2 +3,4 @@ ..." with its first "-".
  void Begin(std::string_view head) {
    const auto before = HunkSide(head, '-');
    const auto now = HunkSide(head, '+');
    if (!before || !now) return;
    num_before_ = before->second;
    num_now_ = now->second;
    // For an empty side, git prints the previous line.
    line_ = static_cast<uint32_t>(now->first + (num_now_ == 0 ? 1 : 0));
    is_open_ = false;
  }
  void End() { num_before_ = num_now_ = 0; }

  /// Takes `line` if it belongs to the hunk; else returns false.
  bool Take(std::string_view line, std::vector<ChangedBlock>& blocks) {
    if (num_before_ == 0 && num_now_ == 0) return false;
    const char sign = line.empty() ? ' ' : line.front();
    if (sign == '-' && num_before_ > 0) {
      --num_before_;
      ++Open(blocks).num_removed;
    } else if (sign == '+' && num_now_ > 0) {
      --num_now_;
      ++Open(blocks).num_lines;
      ++line_;
    } else if ((sign == ' ' || sign == '\r') && num_before_ > 0 && num_now_ > 0) {
      --num_before_;
      --num_now_;
      ++line_;
      is_open_ = false;
    } else if (sign != '\\') {  // "\ No newline at end of file"
      End();
      return false;
    }
    return true;
  }

 private:
  ChangedBlock& Open(std::vector<ChangedBlock>& blocks) {
    if (!is_open_) blocks.push_back({.first = line_});
    is_open_ = true;
    return blocks.back();
  }

  uint64_t num_before_ = 0;  // remaining lines of the hunk
  uint64_t num_now_ = 0;
  uint32_t line_ = 0;
  bool is_open_ = false;  // the last block may continue
};

/// Identifies a finding: a rule or message, and a place before the change.
using SiteBefore = std::tuple<std::string, std::string, uint32_t, uint32_t>;

SiteBefore SiteOf(const std::string& what, const std::string& file, const CodeRange& range) {
  return {what, file, range.line, range.column};
}

}  // namespace

std::vector<ChangedFile> ParseDiff(std::string_view diff) {
  std::vector<ChangedFile> files;
  HunkReader hunk;
  while (!diff.empty()) {
    const size_t end = diff.find('\n');
    std::string_view line = diff.substr(0, end);
    diff.remove_prefix(end == std::string_view::npos ? diff.size() : end + 1);
    if (!files.empty() && hunk.Take(line, files.back().blocks)) continue;
    if (line.starts_with("diff --git ")) {
      files.emplace_back();
      hunk.End();
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
      hunk.Begin(line);
    }
  }
  // A change of mode, or of a binary file, has no lines.
  std::erase_if(files,
                [](const ChangedFile& file) { return file.before.empty() && file.after.empty(); });
  return files;
}

void ChangedLines::Add(const std::string& file, std::vector<ChangedBlock> blocks) {
  blocks_[file] = std::move(blocks);
}

bool ChangedLines::Touches(const std::string& file, uint32_t first, uint32_t last) const {
  const auto found = blocks_.find(file);
  if (found == blocks_.end()) return false;
  return std::ranges::any_of(found->second, [&](const ChangedBlock& block) {
    return block.num_lines > 0 && block.first <= last && first < block.first + block.num_lines;
  });
}

uint32_t ChangedLines::LineBefore(const std::string& file, uint32_t line) const {
  const auto found = blocks_.find(file);
  if (found == blocks_.end()) return line;
  uint32_t before = line;
  for (const ChangedBlock& block : found->second) {
    // The blocks are ascending.
    if (block.first > line) break;
    before += block.num_removed - block.num_lines;
  }
  return before;
}

void SuppressUnchanged(const ChangedLines& changed, const CodeAnswer& before,
                       const CodeAnswer& now) {
  std::map<SiteBefore, Severity> findings_before;
  for (const CodeFinding& finding : before.result.findings) {
    const CodeRange range = before.texts.InFile(finding.file, finding.range);
    Severity& severity =
        findings_before.try_emplace(SiteOf(finding.rule, finding.file, range), finding.severity)
            .first->second;
    severity = std::max(severity, finding.severity);
  }
  std::set<SiteBefore> faults_before;
  for (const CodeFault& fault : before.result.faults) {
    const CodeRange range = before.texts.InFile(fault.file, fault.range);
    faults_before.insert(SiteOf(fault.message, fault.file, range));
  }
  /// The place before the change; absent: the change touched it.
  const auto site_before = [&](const std::string& what, const std::string& file,
                               const CodeRange& range) -> std::optional<SiteBefore> {
    CodeRange in_file = now.texts.InFile(file, range);
    if (changed.Touches(file, in_file.line, std::max(in_file.line, in_file.end_line))) return {};
    in_file.line = changed.LineBefore(file, in_file.line);
    return SiteOf(what, file, in_file);
  };
  now.result.outside_diff = std::erase_if(now.result.findings, [&](const CodeFinding& finding) {
    const auto site = site_before(finding.rule, finding.file, finding.range);
    if (!site) return false;
    const auto known = findings_before.find(*site);
    return known != findings_before.end() && finding.severity <= known->second;
  });
  std::erase_if(now.result.faults, [&](const CodeFault& fault) {
    const auto site = site_before(fault.message, fault.file, fault.range);
    return site && faults_before.contains(*site);
  });
}

}  // namespace shapewise
