// What leaves the comparison of two runs.

#ifndef SHAPEWISE_RESULT_DIFF_H_
#define SHAPEWISE_RESULT_DIFF_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "shapewise/result/finding.h"

namespace shapewise {

/// What the totals of two runs say of the newer one.
enum class RunVerdict : uint8_t {
  kSame,    ///< "same"
  kBetter,  ///< "better": some are lower, none is higher
  kWorse,   ///< "worse": some are higher, none is lower
  kMixed,   ///< "mixed"
};
/// The word of it, as results have it.
std::string_view RunVerdictName(RunVerdict verdict);

/// What showed that a cause of one run is a cause of the other.
enum class MatchedBy : uint8_t {
  kFingerprint,      ///< "fingerprint": nothing that identifies it differs
  kSource,           ///< "source": its guard is of a related class: `is None` and a type
  kMovedFile,        ///< "moved-file"
  kRenamedFunction,  ///< "renamed-function"
  kWording,          ///< "wording": a break whose type one release words as no other does
  kPlace,            ///< "place": one run does not name the function
  kFunction,         ///< "function": one run names no culprit of the limit that it hit
};
/// The word of it, as results have it.
std::string_view MatchedByName(MatchedBy matched_by);

/// One thing of a cause that is not as it was, as text. Empty: not told.
struct Change {
  std::string what;  ///< "count", "severity", "runs eager", "cost", "values", "rule" ...
  std::string before;
  std::string after;
  bool is_worse = false;

  friend bool operator==(const Change&, const Change&) = default;
};

/// A cause that both runs have.
struct CommonCause {
  Finding before;
  Finding after;
  MatchedBy matched_by = MatchedBy::kFingerprint;
  std::vector<Change> changes;  ///< empty: the same
  bool is_worse = false;        ///< some change is
};

/// A cause that only the newer run has.
struct NewCause {
  Finding finding;
  bool is_worse = false;  ///< it counts for the exit status
  /// Fingerprint of a gone cause of the same function that it took the place of, and that cost no
  /// less; empty: there is none.
  std::string instead_of;
  size_t num_alike = 0;  ///< causes with its fingerprint that the older run has as well
};

/// A cause of one run that the other run's logs could not show.
struct Incomparable {
  Finding finding;
  bool is_new = false;  ///< of the newer run
};

/// The whole answer of `diff`.
struct DiffResult {
  /// One of the two runs.
  struct Side {
    std::string name;        ///< as given by the user
    bool has_totals = true;  ///< false: a baseline, of which only the causes are known
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
  std::vector<std::string> better;   ///< in what the newer run is better, one clause each
  std::vector<std::string> worse;    ///< in what it is worse, one clause each
  bool is_failure = false;           ///< what is worse counts for the exit status
  std::vector<std::string> caveats;  ///< what could not be compared, one sentence each
};

}  // namespace shapewise

#endif  // SHAPEWISE_RESULT_DIFF_H_
