// Prefixes of launchers, containers, test runners and quoting, taken off before a line is read.

#include "ingest/formats/torch_log/log_prefix.h"
#include "llvm/ADT/Hashing.h"
#include "llvm/ADT/StringRef.h"
#include "shapewise/support/text_scan.h"

namespace shapewise {
namespace {

/// "[rank3]:" (torch), "[default0]:" and "[torchrun1]:" (torchrun --tee), "[trainer0|2]:".
size_t TakeBracketedRole(std::string_view text, int32_t& rank) {
  if (text.empty() || text[0] != '[') return 0;
  const size_t close = text.substr(0, 40).find("]:");
  if (close == kNotFound) return 0;
  std::string_view role = text.substr(1, close - 1);
  size_t letters = 0;
  while (letters < role.size() && !IsDigit(role[letters])) {
    if (!IsWordChar(role[letters]) && role[letters] != '-') return 0;
    ++letters;
  }
  if (letters == 0 || letters == role.size()) return 0;
  const bool is_rank = role.substr(0, letters) == "rank";
  role.remove_prefix(letters);
  std::string_view digits = role;
  if (!ConsumeUint(role) || (!role.empty() && role[0] != '|')) return 0;
  if (is_rank) rank = ConsumeUint<int32_t>(digits).value_or(rank);
  return close + 2;
}

/// "(EngineCore pid=62) ", "(VllmWorker rank=3 pid=296) ", "(pid=123, ip=10.0.0.1) ".
size_t TakeWorker(std::string_view text, int32_t& rank) {
  if (text.empty() || text[0] != '(') return 0;
  const size_t close = text.substr(0, 120).find(')');
  if (close == kNotFound) return 0;
  const std::string_view inside = text.substr(1, close - 1);
  if (!HasText(inside, "pid=")) return 0;
  const size_t at = FindText(inside, "rank=");
  if (at != kNotFound) {
    std::string_view digits = inside.substr(at + 5);
    rank = ConsumeUint<int32_t>(digits).value_or(rank);
  }
  return close + 1;
}

/// "2026-07-16T03:19:43.5355434Z " (GitHub Actions, kubernetes; containerd adds "stderr F ").
size_t TakeIsoTime(std::string_view text) {
  if (text.size() < 20 || !IsDigit(text[0]) || text[4] != '-' || text[7] != '-' ||
      text[10] != 'T' || text[13] != ':') {
    return 0;
  }
  size_t end = 19;
  while (end < text.size() && text[end] != ' ') {
    if (!IsDigit(text[end]) && std::string_view(".,Z+-:").find(text[end]) == kNotFound) return 0;
    ++end;
  }
  if (end == text.size()) return 0;
  std::string_view rest = text.substr(end + 1);
  for (const std::string_view stream : {"stderr F ", "stdout F ", "stderr P ", "stdout P "}) {
    if (ConsumeFront(rest, stream)) break;
  }
  return text.size() - rest.size();
}

/// "ERROR 06-18 08:08:25 [multiproc_executor.py:522] " (vLLM) and the same without the place.
size_t TakeVllm(std::string_view text) {
  size_t level = 0;
  while (level < text.size() && text[level] >= 'A' && text[level] <= 'Z') ++level;
  if (level < 4 || level > 8 || text.size() < level + 16 || text[level] != ' ') return 0;
  const std::string_view stamp = text.substr(level + 1, 14);
  if (!IsDigit(stamp[0]) || stamp[2] != '-' || stamp[5] != ' ' || stamp[8] != ':' ||
      stamp[11] != ':') {
    return 0;
  }
  size_t end = level + 15;
  if (end < text.size() && text[end] == ' ') ++end;
  if (end < text.size() && text[end] == '[') {
    const size_t close = text.substr(0, std::min(text.size(), end + 120)).find("] ", end);
    if (close != kNotFound) end = close + 2;
  }
  return end;
}

/// "web-1  | " (docker compose) and "pod-name container | ".
size_t TakeCompose(std::string_view text) {
  const size_t bar = text.substr(0, 64).find(" | ");
  if (bar == kNotFound || bar == 0) return 0;
  for (size_t i = 0; i < bar; ++i) {
    if (!IsWordChar(text[i]) && text[i] != '-' && text[i] != '.' && text[i] != ' ') return 0;
  }
  // The name ends in the number of the container; a table row does not look like that.
  size_t end = bar;
  while (end > 0 && text[end - 1] == ' ') --end;
  return end > 0 && IsDigit(text[end - 1]) && HasText(text.substr(0, end), "-") ? bar + 3 : 0;
}

/// "[1,0]<stderr>:" (Open MPI --tag-output).
size_t TakeMpi(std::string_view text, int32_t& rank) {
  if (text.size() < 6 || text[0] != '[') return 0;
  std::string_view rest = text.substr(1);
  if (!ConsumeUint(rest) || !ConsumeFront(rest, ",")) return 0;
  const std::optional<int32_t> number = ConsumeUint<int32_t>(rest);
  if (!number || !ConsumeFront(rest, "]<std")) return 0;
  const size_t close = rest.substr(0, 8).find(">:");
  if (close == kNotFound) return 0;
  rank = *number;
  return text.size() - rest.size() + close + 2;
}

/// "0: " (srun --label), only in front of torch's own prefix: "12: text" is too common elsewhere.
size_t TakeSrunLabel(std::string_view text, int32_t& rank) {
  std::string_view rest = text;
  const std::optional<int32_t> number = ConsumeUint<int32_t>(rest);
  if (!number || *number > 99999 || !ConsumeFront(rest, ": ") || rest.size() < 6) return 0;
  const bool glog = rest[0] >= 'A' && rest[0] <= 'Z' && IsDigit(rest[1]) && rest[5] == ' ';
  if (!glog && !rest.starts_with("[20") && !rest.starts_with("[rank")) return 0;
  rank = *number;
  return text.size() - rest.size();
}

/// "> ", ">> " and "# " of quoted pastes, "E   " of pytest.
size_t TakeQuote(std::string_view text) {
  size_t marks = 0;
  while (marks < text.size() && text[marks] == '>') ++marks;
  if (marks == 0 && text.starts_with('#')) marks = 1;
  if (marks == text.size()) return marks;
  if (marks > 0 && text[marks] == ' ') return marks + 1;
  if (text.starts_with("E   ")) return 4;
  return 0;
}

}  // namespace

ForeignPrefix ParseForeignPrefix(std::string_view line) {
  ForeignPrefix prefix;
  // Nobody stacks more than a few: launcher, container, quoting.
  for (int part = 0; part < 8; ++part) {
    const std::string_view rest = line.substr(prefix.length);
    const std::string_view text = TrimLeft(rest);
    if (text.empty()) break;
    const size_t blanks = rest.size() - text.size();
    int32_t rank = kNoRank;
    size_t taken = 0;
    bool names_process = false;
    switch (text[0]) {
      case '[':
        taken = TakeBracketedRole(text, rank);
        if (taken == 0) taken = TakeMpi(text, rank);
        names_process = true;
        break;
      case '(':
        taken = TakeWorker(text, rank);
        // The worker's blank is part of its prefix.
        if (taken != 0 && taken < text.size() && text[taken] == ' ') ++taken;
        names_process = true;
        break;
      case '>':
      case '#':
        taken = TakeQuote(text);
        break;
      default:
        if (IsDigit(text[0])) {
          taken = TakeIsoTime(text);
          if (taken == 0 && part == 0 && blanks == 0) {
            taken = TakeSrunLabel(text, rank);
            names_process = true;
          }
        } else {
          taken = TakeQuote(text);
          if (taken == 0) taken = TakeVllm(text);
        }
        if (taken == 0 && part == 0) {
          taken = TakeCompose(text);
          names_process = true;
        }
        break;
    }
    if (taken == 0) break;
    if (names_process) {
      prefix.key = llvm::hash_combine(prefix.key, llvm::StringRef(text).take_front(taken));
    }
    prefix.length += blanks + taken;
    if (rank != kNoRank) prefix.rank = rank;
  }
  return prefix;
}

}  // namespace shapewise
