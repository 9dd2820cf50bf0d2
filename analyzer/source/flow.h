// Follows values through the code of compiled regions: from a Project to Facts.

#ifndef SHAPEWISE_SOURCE_FLOW_H_
#define SHAPEWISE_SOURCE_FLOW_H_

#include <compare>
#include <cstdint>
#include <memory>
#include <string_view>
#include <utility>
#include <vector>

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "source/fact.h"
#include "source/project.h"

namespace shapewise {

/// Where a compiled region begins.
struct CompiledRoot {
  FunctionId function = kNoId;
  ClassId of = kNoId;  ///< the class whose objects are called; kNoId: a plain function
  /// The file whose own statements compile something (`is_around`).
  FileId file = kNoId;
  /// The code says so: torch.compile; or it is for others to call. False: any forward of a module,
  /// which is judged by what it gets where something calls it.
  bool is_compiled = false;
  bool is_whole = false;  ///< compiled with fullgraph=True wherever it is compiled
  /// The function itself is not compiled: it, or the file's own statements, pass lambdas and local
  /// functions to torch.compile.
  bool is_around = false;
  /// The file's own statements compile it, or what they call.
  bool is_in_script = false;
};

/// Code that was not followed to its end.
struct GivenUp {
  enum class Why : uint8_t {
    kSteps,    ///< following it takes too many steps
    kNesting,  ///< its calls or expressions are nested too deeply
    kCalls,    ///< it is called with too many different kinds of arguments
    kUnread,   ///< a part has no tree: a syntax error, or nesting beyond the limit
  };

  FileId file = kNoId;
  FunctionId function = kNoId;  ///< kNoId: the file's own statements
  Why why = Why::kSteps;

  friend auto operator<=>(const GivenUp&, const GivenUp&) = default;
};

/// The result of following the code.
struct FlowResult {
  std::vector<std::shared_ptr<const void>> texts;  ///< owners of the names in facts
  std::vector<Fact> facts;                         ///< by file, function, place, kind
  /// About code outside of compiled regions that affects them: DataLoaders, marks, torch settings,
  /// torch.compile itself. By file.
  std::vector<Fact> outside;
  std::vector<FunctionId> reached;  ///< ascending: everything that runs in a compiled region
  /// Ascending: lambdas outside of functions that are compiled, by file and place.
  std::vector<std::pair<FileId, uint32_t>> lambdas;
  /// Ascending: roots, and functions that may run a part of the model.
  std::vector<FunctionId> compiled;
  std::vector<GivenUp> given_up;  ///< ascending
  /// Ascending: functions of tensors and forwards that are code around models.
  std::vector<FunctionId> left_out;
};

/// Whether facts of this kind and name are needed; others are not kept. For a kind without names,
/// the name is empty. Called from several threads at once.
using FactFilter = llvm::function_ref<bool(FactKind kind, std::string_view name)>;

/// Whether a fact matters, for any conditions (Fact::conditions). Called from several threads at
/// once.
using FactTest = llvm::function_ref<bool(const Fact&)>;

/// Whether the function is called in a compiled region, although the code does not show it.
using EntryFilter = llvm::function_ref<bool(FunctionId)>;

/// Follows all roots and the checked functions that `is_entry` accepts, and then free functions of
/// tensors that nothing reached, `jobs` files at a time. The answer does not depend on `jobs`. Of
/// the facts about compiled regions, it only has those that `is_needed` accepts. Facts are detached
/// (fact_trees.h), and all trees of functions are freed.
FlowResult Follow(
    Project& project, FactFilter wanted, unsigned jobs,
    EntryFilter is_entry = [](FunctionId) { return false; },
    FactTest is_needed = [](const Fact&) { return true; });

}  // namespace shapewise

#endif  // SHAPEWISE_SOURCE_FLOW_H_
