// What is noted of one culprit of one function, until it becomes a cause.

#ifndef SHAPEWISE_CAUSES_CULPRIT_CHAIN_H_
#define SHAPEWISE_CAUSES_CULPRIT_CHAIN_H_

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "causes/cause.h"
#include "causes/constant_size.h"
#include "causes/culprit_key.h"
#include "causes/tally.h"
#include "causes/value_history.h"
#include "model/event.h"
#include "model/session.h"

namespace shapewise {

using UserPlace = std::tuple<StrId, uint32_t, StrId>;  // file, line, function

/// The misses of one function that one culprit forced, over all processes.
struct Chain {
  CulpritKey key;
  GuardClass guard_class = GuardClass::kEmpty;
  std::optional<PythonType> value_type;  // kUnknown: its guards show several, or none
  StrId source{};                        // in the first reason
  StrId printed_source{};                // in the first that forced a compile
  StrId guard{};
  StrId code{};           // the line of user code that the guard comes from, if printed
  StrId outer_code{};     // the line of the compiled function that leads there, if it is another
  std::set<StrId> codes;  // lines of code printed for the culprit
  ValueUse use = ValueUse::kUnknown;      // of the culprit: the strongest in all such lines
  uint32_t used_line = 0;                 // where that is, if in the function's file
  std::set<std::string_view> math_calls;  // of the culprit, in all such lines
  bool has_reason = false;

  std::vector<size_t> events;   // empty: only older entries name this culprit
  uint64_t num_recompiles = 0;  // of them, recompile events
  std::map<ProcessKey, uint64_t> strikes;
  uint64_t num_entries = 0;  // that one record shows to differ in the culprit
  ConstantSize constant{.by = ConstantBy::kNothing};
  bool is_symbolic = false;  // in an entry: a guard on it is a relation
  // A range that a dynamic size left: the most telling guard, and the line that asked for it.
  const Reason* left_range = nullptr;
  uint64_t num_zero_one = 0;                  // strikes by a size of 0 or 1
  std::map<uint32_t, uint64_t> size_changes;  // strikes by other sizes and by ints, by stretch
  std::set<int32_t> ranks;
  Tally<UserPlace> own_users;  // places in the user's own code
  Tally<UserPlace> library_users;
  Tally<StrId> hints;
  std::optional<Micros> cost;

  bool is_cut = false;
  bool has_whole_reason = false;  // in a complete record, although the reason may be empty
  bool fatal = false;
  bool limit_hit = false;
  LimitName limit_name = LimitName::kNone;
  int64_t limit = 0;

  std::map<uint32_t, ValueHistory> histories;  // by stretch
  bool alternates = false;                     // a value came back after another one
  // The last compile that the culprit forced, by stretch. Entries older than it keep failing on
  // this culprit, which says nothing about the compiles that other culprits forced.
  std::map<uint32_t, uint32_t> last_struck;
};

/// Reasons of one function that have one cause, although their sources differ.
class SharedCauses {
 public:
  void Note(const Session& session, const Reason& reason);

  /// The reason that stands for the cause of `reason`, which was noted: the first parameter for
  /// requires_grad of any, as they are frozen and unfrozen together; the number of arguments for
  /// all that is no tensor in the arguments of a decorator's wrapper.
  const Reason* LeadOf(const Session& session, const Reason& reason) const;

  /// Whether the function is the wrapper of a decorator, which is compiled for each function that
  /// it wraps: the number of its arguments varies, and the type of the first.
  bool IsOfDecorator() const { return length_of_args_ != nullptr && type_of_first_ != nullptr; }

 private:
  const Reason* parameter_ = nullptr;
  const Reason* length_of_args_ = nullptr;
  const Reason* type_of_first_ = nullptr;
};

/// Notes whether a strike of `chain` for `reason` was a change of a constant, or a dynamic size
/// that left its range.
void NoteChange(const Session& session, const Reason& reason, uint32_t stretch, Chain& chain);

/// The chain that forced most compiles; of equals the first. Null: none forced one.
Chain* MostFrequent(std::deque<Chain>& chains);

/// The chain, other than `last`, to which the entries of a full cache belong; `last` has the last
/// reason. It is the one that forced most compiles of those with more than two states, if `last`
/// forced fewer or has two states. A size that forced more compiles than one size has graphs is
/// multiplied by the value that forced most: each value needs them all. Null: there is none.
Chain* MultiplierOf(const Session& session, const Chain& last, std::deque<Chain>& chains);

/// Adds to a cause by requires_grad that its compiles are for one layer more each ("stages"), and
/// the list of these layers ("blocks").
void AddStages(const Session& session, Cause& cause);

/// Adds what is known of a full cache whose entries belong to `chain`, one of `chains`, by its
/// `values`: that it may count the entries ("own_number"), or that all chains have two states,
/// which account for fewer entries ("states").
void AddLimitFacts(const Session& session, const std::deque<Chain>& chains, const Chain& chain,
                   const std::vector<std::string_view>& values, Cause& cause);

/// What the chains of a function show together.
struct ChainTotals {
  /// The lines that make sizes constants, if there are several: "train.py:29 (dim 2 of img) and
  /// train.py:30 (dim 3 of img)". Empty: there is at most one.
  std::string pins;
  std::optional<LimitName> limit;  ///< that the function hit
  bool has_relations = false;      ///< the function has symbols, as a guard on one shows
};
ChainTotals TotalsOf(const Session& session, const std::deque<Chain>& chains);

/// Adds what `chain` says beyond its culprit: ints that fail next ("other_ints"), functions of math
/// ("math_calls"), sizes that it has to equal ("partner"). `totals`: of `chains`.
void AddChainFacts(const Session& session, const Chain& chain, const std::deque<Chain>& chains,
                   const ChainTotals& totals, Cause& cause);

/// Describes a size that was no constant after its first change: what its graph was compiled for
/// again is the end of a range, at 2 if nothing else is printed. Returns whether the message of
/// `cause` is that of `chain.left_range` now.
bool DescribeRange(const Session& session, const Chain& chain, Cause& cause);

}  // namespace shapewise

#endif  // SHAPEWISE_CAUSES_CULPRIT_CHAIN_H_
