#include "ingest/guard_tree.h"

#include <algorithm>
#include <charconv>
#include <vector>

#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"
#include "shapewise/support/text_scan.h"

namespace shapewise {
namespace {

constexpr size_t kNone = std::string_view::npos;

// Lists are for people and rules; nobody reads further.
constexpr size_t kMaxListed = 32;

// Deeper trees are printed by nobody; sources below are not told apart any more.
constexpr size_t kMaxDepth = 4096;

// The root manager stands at depth 0, so its own guards at 1; epilogue guards stand at 0 or 1.
constexpr size_t kRootDepth = 1;

/// Guards on one folded source.
struct Folded {
  uint32_t guards = 0;
  llvm::StringSet<> indices;
};

/// A manager above the line under way. Its source is folded once, when a first guard needs it.
struct Level {
  std::string_view source;
  bool is_folded = false;
  Folded* family = nullptr;  ///< null: the source has no index
};

/// "a == 2  # return x  # f.py:3" without its comment, numbers as "*".
std::string FoldNumbers(std::string_view text) {
  const size_t comment = FindText(text, "  # ");
  text = TrimRight(text.substr(0, comment));
  std::string folded;
  for (size_t i = 0; i < text.size();) {
    const bool starts_number = IsDigit(text[i]) && (i == 0 || !IsWordChar(text[i - 1]));
    if (!starts_number) {
      folded += text[i++];
      continue;
    }
    while (i < text.size() && IsDigit(text[i])) ++i;
    folded += '*';
  }
  return folded;
}

bool IsLeafKind(std::string_view kind) {
  return !kind.empty() && std::all_of(kind.begin(), kind.end(), [](char c) {
    return (c >= 'A' && c <= 'Z') || IsDigit(c) || c == '_';
  });
}

/// The counts as a list: most first, then by name.
std::vector<std::pair<StrId, uint32_t>> Ranked(const llvm::StringMap<uint32_t>& counts,
                                               StringPool& strings, size_t most) {
  std::vector<std::pair<std::string_view, uint32_t>> list;
  for (const auto& entry : counts) {
    list.emplace_back(std::string_view(entry.getKeyData(), entry.getKeyLength()), entry.getValue());
  }
  std::sort(list.begin(), list.end(), [](const auto& a, const auto& b) {
    return a.second != b.second ? a.second > b.second : a.first < b.first;
  });
  if (list.size() > most) list.resize(most);
  std::vector<std::pair<StrId, uint32_t>> ranked;
  for (const auto& [name, count] : list) ranked.emplace_back(strings.Intern(name), count);
  return ranked;
}

std::vector<GuardTally::Family> RankedFamilies(const llvm::StringMap<Folded>& folded,
                                               StringPool& strings) {
  std::vector<std::pair<std::string_view, const Folded*>> list;
  for (const auto& entry : folded) {
    if (entry.getValue().indices.size() < 2) continue;
    list.emplace_back(std::string_view(entry.getKeyData(), entry.getKeyLength()),
                      &entry.getValue());
  }
  std::sort(list.begin(), list.end(), [](const auto& a, const auto& b) {
    return a.second->guards != b.second->guards ? a.second->guards > b.second->guards
                                                : a.first < b.first;
  });
  if (list.size() > kMaxListed) list.resize(kMaxListed);
  std::vector<GuardTally::Family> families;
  for (const auto& [source, family] : list) {
    families.push_back(
        {strings.Intern(source), family->guards, static_cast<uint32_t>(family->indices.size())});
  }
  return families;
}

}  // namespace

std::string FoldIndices(std::string_view text, std::string& indices) {
  std::string folded;
  for (size_t i = 0; i < text.size(); ++i) {
    folded += text[i];
    if (text[i] != '[') continue;
    size_t begin = i + 1;
    const bool is_quoted = begin < text.size() && text[begin] == '\'';
    if (is_quoted) ++begin;
    size_t end = begin;
    while (end < text.size() && IsDigit(text[end])) ++end;
    size_t close = end;
    if (is_quoted && close < text.size() && text[close] == '\'') ++close;
    const bool is_index = end > begin && close < text.size() && text[close] == ']' &&
                          (is_quoted ? close == end + 1 : close == end);
    if (!is_index) continue;
    indices += text.substr(begin, end - begin);
    indices += ',';
    folded += '*';
    i = close - 1;
  }
  return folded;
}

GuardTally CountGuardTree(std::string_view text, StringPool& strings) {
  GuardTally tally;
  llvm::StringMap<uint32_t> kinds;
  llvm::StringMap<uint32_t> lambdas;
  llvm::StringMap<Folded> folded;
  std::vector<Level> levels;  // by depth
  while (!text.empty()) {
    const size_t newline = text.find('\n');
    std::string_view line = text.substr(0, newline);
    text.remove_prefix(newline == kNone ? text.size() : newline + 1);
    size_t depth = 0;
    while (ConsumeFront(line, "| ")) ++depth;
    if (!ConsumeFront(line, "+- ")) {
      if (!ConsumeFront(line, "Guard latency = ")) continue;
      double micros = 0;
      const auto [end, error] = std::from_chars(line.data(), line.data() + line.size(), micros);
      if (error == std::errc()) tally.latency_us = micros;
      continue;
    }
    depth = std::min(depth, kMaxDepth);
    const size_t colon = line.find(':');
    const std::string_view kind = line.substr(0, colon);
    if (!IsLeafKind(kind)) {
      ++tally.managers;
      levels.resize(depth + 1);
      levels[depth] = Level{.source = TextBetween(line, "source=", ", accessed_by=")};
      continue;
    }
    ++tally.leaves;
    ++kinds[llvm::StringRef(kind.data(), kind.size())];
    if (depth <= kRootDepth && kind == "LAMBDA_GUARD") {
      ++lambdas[FoldNumbers(TrimLeft(line.substr(colon + 1)))];
    }
    if (depth == 0 || depth > levels.size()) continue;
    Level& level = levels[depth - 1];
    if (!level.is_folded) {
      level.is_folded = true;
      std::string indices;
      const std::string source = FoldIndices(level.source, indices);
      if (!indices.empty()) {
        level.family = &folded[source];
        level.family->indices.insert(indices);
      }
    }
    if (level.family != nullptr) ++level.family->guards;
  }
  tally.kinds = Ranked(kinds, strings, kinds.size());
  tally.root_lambdas = Ranked(lambdas, strings, kMaxListed);
  tally.families = RankedFamilies(folded, strings);
  return tally;
}

}  // namespace shapewise
