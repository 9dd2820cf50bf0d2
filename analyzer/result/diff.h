// The result of comparing two runs.

#ifndef SHAPEWISE_RESULT_DIFF_H_
#define SHAPEWISE_RESULT_DIFF_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "result/finding.h"

namespace shapewise {

/// What the totals of two runs say of the newer one.
enum class RunVerdict : uint8_t {
  kSame,     ///< "same"
  kBetter,   ///< "better": some are lower, none is higher
  kWorse,    ///< "worse": some are higher, none is lower
  kMixed,    ///< "mixed"
  kUnknown,  ///< "unknown": some are lower, but the newer run is empty or much shorter
};
/// The word of it, as results have it.
std::string_view RunVerdictName(RunVerdict verdict);

/// Why a cause of one run was matched with a cause of the other.
enum class MatchedBy : uint8_t {
  kFingerprint,      ///< "fingerprint": same identity
  kSource,           ///< "source": same source with a related guard class: `is None` and a type
  kMovedFile,        ///< "moved-file"
  kRenamedFunction,  ///< "renamed-function"
  kWording,          ///< "wording": a break whose type is worded differently in another release
  kPlace,            ///< "place": one run does not name the function
  kFunction,         ///< "function": one run does not name the culprit of the limit
};
/// The word of it in results.
std::string_view MatchedByName(MatchedBy matched_by);

/// A property of a cause that changed, as text. Empty: unknown.
struct Change {
  std::string what;  ///< "count", "severity", "runs eagerly", "cost", "values", "rule" ...
  std::string before;
  std::string after;
  bool is_worse = false;

  friend bool operator==(const Change&, const Change&) = default;
};

/// A cause of both runs.
struct CommonCause {
  Finding before;
  Finding after;
  MatchedBy matched_by = MatchedBy::kFingerprint;
  std::vector<Change> changes;  ///< empty: unchanged
  bool is_worse = false;        ///< at least one change makes it worse
};

/// A cause of the newer run only.
struct NewCause {
  Finding finding;
  bool is_worse = false;  ///< it counts for the exit status
  /// Fingerprint of a gone cause of the same function that it replaced, and that cost no less;
  /// empty if it replaced none.
  std::string instead_of;
  size_t num_alike = 0;  ///< causes with its fingerprint that the older run has as well
};

/// A cause of one run that the other run's logs could not show.
struct Incomparable {
  Finding finding;
  bool is_new = false;  ///< it is in the newer run
};

/// The result of `diff`.
struct DiffResult {
  /// One of the two runs.
  struct Side {
    std::string name;        ///< as given by the user
    bool has_totals = true;  ///< false: a baseline, which contains only causes
    RunSummary summary;
    Coverage coverage;
  };

  Side before;
  Side after;
  std::vector<NewCause> fresh;       ///< worst first
  std::vector<Finding> gone;         ///< worst first
  std::vector<CommonCause> changed;  ///< worst first
  std::vector<CommonCause> same;     ///< worst first
  std::vector<Incomparable> incomparable;
  bool compile_seconds_are_comparable = false;
  RunVerdict verdict = RunVerdict::kSame;
  std::string why_unknown;           ///< kUnknown: why, a clause
  std::vector<std::string> better;   ///< in what the newer run is better, one clause each
  std::vector<std::string> worse;    ///< in what it is worse, one clause each
  std::vector<std::string> price;    ///< higher totals that what is better explains, not in `worse`
  bool is_failure = false;           ///< what is worse counts for the exit status
  std::vector<std::string> caveats;  ///< what could not be compared, one sentence each
};

}  // namespace shapewise

#endif  // SHAPEWISE_RESULT_DIFF_H_
