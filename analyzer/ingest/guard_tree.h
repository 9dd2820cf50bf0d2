// The guards that Dynamo prints for a compilation: counted, and parsed as far as they concern
// shapes.

#ifndef SHAPEWISE_INGEST_GUARD_TREE_H_
#define SHAPEWISE_INGEST_GUARD_TREE_H_

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"
#include "model/compilation.h"
#include "model/guard.h"
#include "model/shape_guard.h"
#include "support/string_pool.h"
#include "support/text_scan.h"

namespace shapewise {

/// Whether `kind` is spelled like a kind of guard: TENSOR_MATCH.
inline bool IsLeafKind(std::string_view kind) {
  return !kind.empty() && std::all_of(kind.begin(), kind.end(), [](char c) {
    return (c >= 'A' && c <= 'Z') || IsDigit(c) || c == '_';
  });
}

/// Counts the guards of one tree, passed line by line:
///
///   TREE_GUARD_MANAGER:
///   +- RootGuardManager
///   | +- GuardManager: source=L['x'], accessed_by=FrameLocalsGuardAccessor(key='x', ...), ...
///   | | +- TENSOR_MATCH: check_tensor(L['x'], Tensor, ...)  # h = lin(x)  # train.py:10 in step
///   | +- LAMBDA_GUARD: L['x'].size()[0] <= 4096
///   Guard latency = 17.00 us
///
/// A guard printed in several parts counts once per part. Lines of any other form are skipped.
/// Linear in the text; memory is bounded: beyond more distinct names than real models have, guards
/// count without a name.
///
/// Source: torch/_dynamo/guards.py, GuardManagerWrapper.__str__, 2.5 to 2.13.
class GuardTreeCounter {
 public:
  /// `line` without its newline and without prefix. False: not a node of a tree.
  bool AddLine(std::string_view line);

  /// The counts so far, with their names interned into `strings`.
  GuardTally Tally(StringPool& strings) const;

 private:
  /// Guards on one folded source.
  struct Folded {
    uint32_t guards = 0;
    llvm::StringSet<> indices;
  };

  static constexpr size_t kNoFamily = SIZE_MAX;  // the source has no index

  /// A manager above the current line. Its source is folded once, when the first guard needs it.
  struct Level {
    std::string source;
    bool is_folded = false;
    size_t family = kNoFamily;  ///< index into families_
  };

  void AddManager(std::string_view line, size_t depth);
  void AddToFamily(size_t depth);
  void FindFamily(Level& level);
  void Count(std::string_view name, llvm::StringMap<uint32_t>& counts);
  bool MayKeep(std::string_view name);

  llvm::StringMap<uint32_t> kinds_;
  llvm::StringMap<uint32_t> lambdas_;
  llvm::StringMap<size_t> family_of_;  // by folded source: index into families_
  std::vector<Folded> families_;
  std::vector<Level> levels_;  // by depth
  size_t num_levels_ = 0;
  size_t kept_bytes_ = 0;  // of distinct names
  uint32_t leaves_ = 0;
  uint32_t managers_ = 0;
  std::optional<double> latency_us_;
};

/// The same for a whole tree in one text.
GuardTally CountGuardTree(std::string_view text, StringPool& strings);

/// `text` with each run of digits that is alone between brackets, quoted or not, replaced by "*":
/// "L['self']._modules['3'].w" becomes "L['self']._modules[*].w". The indices, in order, are
/// appended to `indices`, each followed by a comma.
std::string FoldIndices(std::string_view text, std::string& indices);

/// Collects the guards of one compilation:
///
///   | | +- TENSOR_MATCH: check_tensor(L['x'], Tensor, ..., size=[None, 3], stride=[3, 1])  # ...
///   | | +- EQUALS_MATCH: L['n'] == 3                                 # x * n  # m.py:5 in f
///   +- LAMBDA_GUARD: L['x'].size()[0] % 8 == 0  # if x.shape[0] % 8:  # m.py:5 in f
///
/// Other guards are kept as hashes, those on local variables also with their values. Linear in the
/// text; memory is bounded by GuardTexts::kMaxGuards.
///
/// Source: torch/_dynamo/guards.py, 2.1 to 2.13.
class GuardTextReader {
 public:
  /// `only_needed`: collects nothing but what IsNeeded says.
  explicit GuardTextReader(StringPool& strings, bool only_needed = false)
      : strings_(strings), only_needed_(only_needed) {}

  /// A line of a tree, without newline and prefix. Other lines are skipped.
  void AddTreeLine(std::string_view line);

  /// One guard: its code and the comment after it, as 2.1 to 2.4 list them.
  void AddGuard(std::string_view text);

  /// Returns the collected guards.
  GuardTexts Take();

 private:
  void AddLeaf(std::string_view kind, std::string_view text);
  bool AddTensor(std::string_view text);
  bool AddMark(std::string_view text);
  bool AddPredicate(std::string_view text);
  void SetUserPlace(const GuardFailure& parsed, ShapeGuard& guard);
  void AddOther(std::string_view kind, std::string_view text);
  void AddValue(std::string_view guard);
  void Keep(const ShapeGuard& guard);

  StringPool& strings_;
  const bool only_needed_;
  GuardTexts texts_;
  std::set<uint64_t> others_;
  std::map<std::string, uint64_t> type_guards_;  // hashes of TYPE_MATCH, by source
};

/// The same for a whole tree in one text.
GuardTexts ReadGuardTree(std::string_view text, StringPool& strings, bool only_needed = false);

/// Whether the line may be a guard that is collected for every finding: of a dim that mark_static
/// marked, or of a constant that is an argument or an item of one: "L['mode'] == 'sum'".
bool IsNeeded(std::string_view line);

/// Calls `take` with each line of `text`.
template <typename Take>
void ForEachLine(std::string_view text, const Take& take) {
  while (true) {
    const size_t newline = text.find('\n');
    take(text.substr(0, newline));
    if (newline == std::string_view::npos) return;
    text.remove_prefix(newline + 1);
  }
}

}  // namespace shapewise

#endif  // SHAPEWISE_INGEST_GUARD_TREE_H_
