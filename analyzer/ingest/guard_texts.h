// The guards that Dynamo prints for a compilation, taken apart as far as they speak of shapes.

#ifndef SHAPEWISE_INGEST_GUARD_TEXTS_H_
#define SHAPEWISE_INGEST_GUARD_TEXTS_H_

#include <algorithm>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>

#include "shapewise/model/shape_guard.h"
#include "shapewise/support/string_pool.h"
#include "shapewise/support/text_scan.h"

namespace shapewise {

/// Whether `kind` is written as the kinds of guards are: TENSOR_MATCH.
inline bool IsLeafKind(std::string_view kind) {
  return !kind.empty() && std::all_of(kind.begin(), kind.end(), [](char c) {
    return (c >= 'A' && c <= 'Z') || IsDigit(c) || c == '_';
  });
}

/// Gathers the guards of one compilation:
///
///   | | +- TENSOR_MATCH: check_tensor(L['x'], Tensor, ..., size=[None, 3], stride=[3, 1])  # ...
///   | | +- EQUALS_MATCH: L['n'] == 3                                 # x * n  # m.py:5 in f
///   +- LAMBDA_GUARD: L['x'].size()[0] % 8 == 0  # if x.shape[0] % 8:  # m.py:5 in f
///
/// Guards on other things are kept as hashes, those on local variables also by what they say of
/// their values. Linear in the text; memory is bounded by GuardTexts::kMaxGuards.
///
/// Source: torch/_dynamo/guards.py, 2.1 to 2.13.
class GuardTextReader {
 public:
  explicit GuardTextReader(StringPool& strings) : strings_(strings) {}

  /// A line of a tree, without newline and prefix. Lines that are no guard are passed over.
  void AddTreeLine(std::string_view line);

  /// One guard: its code and the comment behind it, as 2.1 to 2.4 list them.
  void AddGuard(std::string_view text);

  /// What was gathered.
  GuardTexts Take();

 private:
  void AddLeaf(std::string_view kind, std::string_view text);
  bool AddTensor(std::string_view text);
  bool AddMark(std::string_view text);
  bool AddPredicate(std::string_view text);
  void AddOther(std::string_view kind, std::string_view text);
  void AddValue(std::string_view guard);
  void Keep(const ShapeGuard& guard);

  StringPool& strings_;
  GuardTexts texts_;
  std::set<uint64_t> others_;
  std::map<std::string, uint64_t> type_guards_;  // hashes of TYPE_MATCH, by source
};

/// The same for a whole tree in one text.
GuardTexts ReadGuardTree(std::string_view text, StringPool& strings);

}  // namespace shapewise

#endif  // SHAPEWISE_INGEST_GUARD_TEXTS_H_
