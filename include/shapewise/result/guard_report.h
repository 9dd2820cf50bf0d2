// What leaves the analysis of guards: which sizes are free, which lines pin the others.

#ifndef SHAPEWISE_RESULT_GUARD_REPORT_H_
#define SHAPEWISE_RESULT_GUARD_REPORT_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "shapewise/result/finding.h"
#include "shapewise/result/place.h"

namespace shapewise {

/// What cache entries leave of a size or an int, from the freest to the least free; an unknown one
/// may be free.
enum class SizeVerdict : uint8_t {
  kFree,        ///< "free": any value; 0 and 1 may have graphs of their own
  kDivisible,   ///< "divisible": the multiples of a number, or such plus a remainder
  kBounded,     ///< "bounded": an interval
  kRestricted,  ///< "restricted": some other set of two values or more
  kUnknown,     ///< "unknown": guards are not printed, not understood, or beyond the budget
  kPinned,      ///< "pinned": one value
};
/// The word of a verdict, as results have it.
std::string_view SizeVerdictName(SizeVerdict verdict);

/// What a variable of the analysis is.
enum class GuardedKind : uint8_t {
  kSize,    ///< "size" of a tensor in one dim
  kStride,  ///< "stride" likewise
  kInt,     ///< "int": an argument, attribute or other int
  kLength,  ///< "length" of a list, tuple, dict or set
  kOther,   ///< "other": a storage offset, a number of dims
};
/// The word of a kind, as results have it.
std::string_view GuardedKindName(GuardedKind kind);

/// How a value came to be pinned.
enum class PinnedBy : uint8_t {
  kNothing,         ///< it is not
  kStatic,          ///< "static": it was compiled as a constant, no code asked for it
  kSpecialization,  ///< "specialization": it was a symbol, and code made it a constant
  kRelations,       ///< "relations": it is a symbol, and guards leave it one value
};
/// The word of it, as results have it.
std::string_view PinnedByName(PinnedBy by);

/// One guard, with the line of user code behind it.
struct GuardLine {
  std::string guard;  ///< as printed; of a tensor's check the part that matters: "x.size()[0] == 4"
  Place user;         ///< empty where it is not told
  std::string code;   ///< that line
  friend bool operator==(const GuardLine&, const GuardLine&) = default;
};

/// A value of one variable.
struct EntryVerdict {
  SizeVerdict verdict = SizeVerdict::kUnknown;
  PinnedBy pinned_by = PinnedBy::kNothing;
  std::optional<int64_t> lower;    ///< of what is left
  std::optional<int64_t> upper;    ///< likewise
  uint64_t modulus = 1;            ///< all that is left is `remainder` modulo this
  int64_t remainder = 0;           ///< see `modulus`
  std::optional<int64_t> value;    ///< of kPinned
  std::vector<GuardLine> because;  ///< the fewest guards that make it so; empty: free, or not told
  bool is_minimal = false;         ///< none of them can be left out
  bool is_duck = false;            ///< one of them holds only because two sizes were equal
  std::string why_unknown;         ///< one clause; of kUnknown
  /// The fewest guards without which it would not be pinned; empty: not pinned, or not found.
  std::vector<GuardLine> smallest_change;
};

/// A size, int or length of one function.
struct GuardedVariable {
  std::string source;  ///< "L['x']", as printed
  GuardedKind kind = GuardedKind::kSize;
  int32_t dim = -1;  ///< of a size or stride
  std::string name;  ///< "x.size()[0]", "n": as in guards, without the frame's L[...]
  /// What the entry that leaves it freest leaves of it. Unknown beats pinned here: what is not
  /// known is never called pinned.
  EntryVerdict verdict;
  size_t entry = 0;  ///< into FunctionGuards::entries: whose verdict that is
  std::vector<std::pair<size_t, EntryVerdict>> by_entry;  ///< of all entries that speak of it
  std::vector<int64_t> values;  ///< that it had when something was compiled, in order, each once
  bool varies = false;          ///< it had two values or more
  bool is_marked = false;       ///< the program marked it as dynamic
  /// Whether automatic dynamic makes it a symbol once it varies; absent: not told.
  std::optional<bool> automatic_frees;
  std::vector<Action> advice;

  /// It has to be compiled anew for each value, though it varies or was marked.
  bool IsCulprit() const {
    return verdict.verdict == SizeVerdict::kPinned && (varies || is_marked);
  }
};

/// One cache entry.
struct GuardedEntryReport {
  std::string id;  ///< "0/1"; empty: not printed
  uint32_t input = 0;
  uint64_t line = 0;
  std::vector<std::pair<std::string, int64_t>>
      compiled_for;               ///< name and value of what it speaks of
  bool is_whole = false;          ///< all of its guards were printed and understood
  std::string why_not;            ///< one clause, if it is not
  bool is_contradictory = false;  ///< no call can satisfy its guards
  std::vector<size_t>
      shadowed_by;  ///< entries that take every call it could take: never used again
  /// The entries in front are known to be asked first by the same wrapper; else it takes for
  /// granted that both were compiled by one torch.compile(...).
  bool is_shadow_certain = false;
  std::vector<size_t> overlaps;  ///< later entries that a common call satisfies, shadows apart
};

/// Which graphs a set of calls needs.
struct GraphNeed {
  bool is_of_run = true;  ///< the calls are those that were compiled; else those of --sizes
  size_t calls = 0;       ///< combinations of sizes
  size_t served = 0;      ///< of them, taken by some entry
  size_t uncovered = 0;   ///< of them, taken by none: each needs a compile, but one may serve all
  size_t undecided = 0;   ///< of them, where neither could be shown
  size_t least = 0;       ///< fewest entries that serve all that are served
  bool is_least_exact = true;
  std::vector<std::string> examples;  ///< calls that no entry takes, at most 8
  size_t entries = 0;                 ///< in the cache, needed or not: they count for the limit
  size_t limit_at_least = 0;          ///< recompile_limit that all of this needs
  std::optional<size_t> limit_at_most;
};

/// One function of one process.
struct FunctionGuards {
  Place where;  ///< the compiled function
  std::vector<int32_t> ranks;
  std::vector<GuardedEntryReport> entries;  ///< oldest first; the cache asks the newest first
  std::vector<GuardedVariable> variables;   ///< worst first
  std::optional<GraphNeed> need;            ///< absent: nothing is known of any call
  bool hit_limit = false;                   ///< the recompile limit was reached
  std::vector<std::string> gaps;            ///< what could not be told, one sentence each
};

/// The whole answer of `guards`.
struct GuardReport {
  std::vector<FunctionGuards> functions;  ///< worst first
  std::vector<std::string> unread;        ///< one message an input that could not be read
  std::vector<std::string> gaps;          ///< what the input could not tell, one sentence each
};

}  // namespace shapewise

#endif  // SHAPEWISE_RESULT_GUARD_REPORT_H_
