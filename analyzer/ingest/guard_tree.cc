#include "ingest/guard_tree.h"

#include <algorithm>
#include <charconv>
#include <utility>

#include "ingest/guard_texts.h"
#include "shapewise/support/text_scan.h"

namespace shapewise {
namespace {

// Lists are for people and rules; nobody reads further.
constexpr size_t kMaxListed = 32;

// Deeper trees are printed by nobody; sources below are not told apart any more.
constexpr size_t kMaxTreeDepth = 4096;

// Longer sources differ in no index that matters.
constexpr size_t kMaxSourceBytes = 4096;

// Distinct names of one tree; a model of a thousand layers has a hundredth of it.
constexpr size_t kMaxKeptBytes = size_t{8} << 20;

// The root manager stands at depth 0, so its own guards at 1; epilogue guards stand at 0 or 1.
constexpr size_t kRootDepth = 1;

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
  ranked.reserve(list.size());
  for (const auto& [name, count] : list) ranked.emplace_back(strings.Intern(name), count);
  return ranked;
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

std::optional<double> ParseLatency(std::string_view text) {
  double micros = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), micros);
  if (error != std::errc()) return std::nullopt;
  return micros;
}

bool GuardTreeCounter::AddLine(std::string_view line) {
  size_t depth = 0;
  while (ConsumeFront(line, "| ")) ++depth;
  if (!ConsumeFront(line, "+- ")) {
    if (!ConsumeFront(line, "Guard latency = ")) return false;
    if (const std::optional<double> micros = ParseLatency(line)) latency_us_ = micros;
    return false;
  }
  depth = std::min(depth, kMaxTreeDepth);
  const size_t colon = line.find(':');
  const std::string_view kind = line.substr(0, colon);
  if (!IsLeafKind(kind)) {
    AddManager(line, depth);
    return true;
  }
  ++leaves_;
  Count(kind, kinds_);
  if (depth <= kRootDepth && kind == "LAMBDA_GUARD" && colon != kNotFound) {
    Count(FoldNumbers(TrimLeft(line.substr(colon + 1))), lambdas_);
  }
  if (depth > 0 && depth <= num_levels_) AddToFamily(depth);
  return true;
}

void GuardTreeCounter::AddManager(std::string_view line, size_t depth) {
  ++managers_;
  num_levels_ = depth + 1;
  if (levels_.size() < num_levels_) levels_.resize(num_levels_);
  Level& level = levels_[depth];
  // "ValueManager: GuardManager: source=L['d']['k'], type=..." of a dict names no accessor.
  std::string_view source = TextBetween(line, "source=", ", accessed_by=");
  source = source.substr(0, FindText(source, ", type=<"));
  level.source = source.substr(0, kMaxSourceBytes);
  level.is_folded = false;
  level.family = kNoFamily;
}

/// Counts a guard at `depth` for the family of the manager above it.
void GuardTreeCounter::AddToFamily(size_t depth) {
  Level& level = levels_[depth - 1];
  if (!level.is_folded) {
    level.is_folded = true;
    FindFamily(level);
  }
  if (level.family != kNoFamily) ++families_[level.family].guards;
}

void GuardTreeCounter::FindFamily(Level& level) {
  std::string indices;
  const std::string source = FoldIndices(level.source, indices);
  if (indices.empty()) return;
  const auto known = family_of_.find(source);
  if (known != family_of_.end()) {
    level.family = known->second;
  } else if (MayKeep(source)) {
    level.family = families_.size();
    family_of_[source] = families_.size();
    families_.emplace_back();
  } else {
    return;
  }
  llvm::StringSet<>& members = families_[level.family].indices;
  if (!members.contains(indices) && MayKeep(indices)) members.insert(indices);
}

void GuardTreeCounter::Count(std::string_view name, llvm::StringMap<uint32_t>& counts) {
  const auto known = counts.find(llvm::StringRef(name));
  if (known != counts.end()) {
    ++known->second;
  } else if (MayKeep(name)) {
    counts[llvm::StringRef(name)] = 1;
  }
}

/// Whether there is room for one more name.
bool GuardTreeCounter::MayKeep(std::string_view name) {
  if (kept_bytes_ + name.size() > kMaxKeptBytes) return false;
  kept_bytes_ += name.size();
  return true;
}

GuardTally GuardTreeCounter::Tally(StringPool& strings) const {
  GuardTally tally;
  tally.kinds = Ranked(kinds_, strings, kinds_.size());
  tally.root_lambdas = Ranked(lambdas_, strings, kMaxListed);
  std::vector<std::pair<std::string_view, const Folded*>> families;
  for (const auto& entry : family_of_) {
    const Folded& family = families_[entry.getValue()];
    if (family.indices.size() < 2) continue;
    families.emplace_back(std::string_view(entry.getKeyData(), entry.getKeyLength()), &family);
  }
  std::sort(families.begin(), families.end(), [](const auto& a, const auto& b) {
    return a.second->guards != b.second->guards ? a.second->guards > b.second->guards
                                                : a.first < b.first;
  });
  if (families.size() > kMaxListed) families.resize(kMaxListed);
  for (const auto& [source, family] : families) {
    tally.families.push_back(
        {strings.Intern(source), family->guards, static_cast<uint32_t>(family->indices.size())});
  }
  tally.leaves = leaves_;
  tally.managers = managers_;
  tally.latency_us = latency_us_;
  return tally;
}

GuardTally CountGuardTree(std::string_view text, StringPool& strings) {
  GuardTreeCounter counter;
  while (!text.empty()) {
    const size_t newline = text.find('\n');
    counter.AddLine(text.substr(0, newline));
    text.remove_prefix(newline == kNotFound ? text.size() : newline + 1);
  }
  return counter.Tally(strings);
}

}  // namespace shapewise
