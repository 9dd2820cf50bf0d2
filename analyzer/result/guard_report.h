// The result of a guard analysis: which sizes are dynamic, and which lines pin the others.

#ifndef SHAPEWISE_RESULT_GUARD_REPORT_H_
#define SHAPEWISE_RESULT_GUARD_REPORT_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "result/finding.h"
#include "result/place.h"

namespace shapewise {

/// What cache entries allow for a size or an int, from the least to the most restricted; an unknown
/// one may be free.
enum class SizeVerdict : uint8_t {
  kFree,        ///< "free": any value; 0 and 1 may have their own graphs
  kDivisible,   ///< "divisible": multiples of a number, possibly plus a remainder
  kBounded,     ///< "bounded": an interval
  kRestricted,  ///< "restricted": some other set of two or more values
  kUnknown,     ///< "unknown": guards are not printed, not understood, or exceed the budget
  kPinned,      ///< "pinned": one value
};
/// The word of a verdict in results.
std::string_view SizeVerdictName(SizeVerdict verdict);

/// The kind of a variable.
enum class GuardedKind : uint8_t {
  kSize,    ///< "size" of a tensor in one dim
  kStride,  ///< "stride" of a tensor in one dim
  kInt,     ///< "int": an argument, attribute or other int
  kLength,  ///< "length" of a list, tuple, dict or set
  kOther,   ///< "other": a storage offset, a number of dims
};
/// The word of a kind in results.
std::string_view GuardedKindName(GuardedKind kind);

/// Why a value is pinned.
enum class PinnedBy : uint8_t {
  kNothing,         ///< not pinned
  kStatic,          ///< "static": compiled as a constant, without code that required it
  kSpecialization,  ///< "specialization": a symbol that code turned into a constant
  kRelations,       ///< "relations": a symbol that guards restrict to one value
};
/// The word of it in results.
std::string_view PinnedByName(PinnedBy by);

/// A guard, with the line of user code that caused it.
struct GuardLine {
  std::string guard;  ///< as printed; for a tensor check the relevant part: "x.size()[0] == 4"
  Place user;         ///< empty: unknown
  std::string code;   ///< source text of that line
  friend bool operator==(const GuardLine&, const GuardLine&) = default;
};

/// The verdict of one entry on one variable.
struct EntryVerdict {
  SizeVerdict verdict = SizeVerdict::kUnknown;
  PinnedBy pinned_by = PinnedBy::kNothing;
  std::optional<int64_t> lower;  ///< of the allowed values
  std::optional<int64_t> upper;  ///< of the allowed values
  uint64_t modulus = 1;          ///< all allowed values equal `remainder` modulo this
  int64_t remainder = 0;         ///< see `modulus`
  std::optional<int64_t> value;  ///< for kPinned
  /// The smallest set of guards that implies it; empty: free or unknown.
  std::vector<GuardLine> because;
  bool is_minimal = false;  ///< no guard in `because` can be removed
  bool is_duck = false;     ///< one of them exists only because two sizes were equal
  std::string why_unknown;  ///< for kUnknown, a clause
  /// The fewest guards to remove so that it is not pinned; empty: not pinned, or not found.
  std::vector<GuardLine> smallest_change;
};

/// A size, int or length of one function.
struct GuardedVariable {
  std::string source;  ///< "L['x']", as printed
  GuardedKind kind = GuardedKind::kSize;
  int32_t dim = -1;  ///< for a size or stride
  std::string name;  ///< "x.size()[0]", "n": as in guards, without the frame's L[...]
  /// The verdict of the least restrictive entry. Unknown wins over pinned: an unknown variable is
  /// never called pinned.
  EntryVerdict verdict;
  size_t entry = 0;  ///< into FunctionGuards::entries: the entry of `verdict`
  std::vector<std::pair<size_t, EntryVerdict>> by_entry;  ///< of all entries that mention it
  std::vector<int64_t> values;  ///< its values at compile times, in order, distinct
  bool varies = false;          ///< it had at least two values
  bool is_marked = false;       ///< the program marked it dynamic
  /// Whether automatic dynamic shapes make it a symbol once it changes; absent: unknown.
  std::optional<bool> automatic_frees;
  std::vector<Action> advice;

  /// Whether it needs a compile for each value although it changes or is marked.
  bool IsCulprit() const {
    return verdict.verdict == SizeVerdict::kPinned && (varies || is_marked);
  }
};

/// A cache entry.
struct GuardedEntryReport {
  std::string id;  ///< "0/1"; empty: not printed
  uint32_t input = 0;
  uint64_t line = 0;
  std::vector<std::pair<std::string, int64_t>> compiled_for;  ///< names and values of its variables
  bool is_whole = false;          ///< all of its guards were printed and understood
  std::string why_not;            ///< a clause, if not is_whole
  bool is_contradictory = false;  ///< no call can satisfy its guards
  /// Entries that match every call that it matches, so it is never used again.
  std::vector<size_t> shadowed_by;
  /// Whether the wrapper is known to try those entries first; else this assumes that both were
  /// compiled by one torch.compile(...).
  bool is_shadow_certain = false;
  std::vector<size_t> overlaps;  ///< later entries that can match the same call, apart from shadows
};

/// The graphs that a set of calls needs.
struct GraphNeed {
  bool is_of_run = true;  ///< the calls are those of the run; else those of --sizes
  size_t calls = 0;       ///< combinations of sizes
  size_t served = 0;      ///< matched by some entry
  size_t uncovered = 0;   ///< matched by no entry: each needs a compile, but one may serve all
  size_t undecided = 0;   ///< undecided within the budget
  size_t least = 0;       ///< fewest entries that serve all served calls
  bool is_least_exact = true;
  std::vector<std::string> examples;  ///< calls that no entry matches, at most 8
  size_t entries = 0;         ///< entries in the cache, needed or not: they count towards the limit
  size_t limit_at_least = 0;  ///< recompile_limit needed for all of this
  std::optional<size_t> limit_at_most;
};

/// A function of one process.
struct FunctionGuards {
  Place where;  ///< the compiled function
  std::vector<int32_t> ranks;
  std::vector<GuardedEntryReport> entries;  ///< oldest first; the cache tries the newest first
  std::vector<GuardedVariable> variables;   ///< worst first
  std::optional<GraphNeed> need;            ///< absent: no calls are known
  bool hit_limit = false;                   ///< the recompile limit was reached
  std::vector<std::string> gaps;            ///< limits of the analysis, one sentence each
};

/// The result of `guards`.
struct GuardReport {
  std::vector<FunctionGuards> functions;  ///< worst first
  std::vector<std::string> unread;        ///< one message per unreadable input
  std::vector<std::string> gaps;          ///< limits of the input, one sentence each
};

}  // namespace shapewise

#endif  // SHAPEWISE_RESULT_GUARD_REPORT_H_
